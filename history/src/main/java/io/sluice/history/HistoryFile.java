package io.sluice.history;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.GapEvent;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file of a history, or a part of one, while it is written; see {@code docs/why/history.md}. Limits and names of counts are written once
 * and then referenced by number. Only the owner can read the file. Not thread-safe.
 *
 * <p>A history is one file or a series of files: after a file that ends with {@link #next}, the file of the same run with the next number
 * continues the history.
 */
public final class HistoryFile implements Closeable {

    private final FileChannel channel;
    private final LineOutput out;
    private final Names names;
    private final Map<Limit, Integer> limits = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();

    /** The limit written last. Most limits repeat as the same object, and comparing references is faster. */
    private @Nullable Limit lastLimit;

    private int lastLimitNumber;
    private long waiting;

    /** The position in the file up to which all lines are whole. */
    private long good;

    /**
     * The part of a history that a file contains.
     *
     * @param node the name of the process
     * @param run the name of the run, different for each run of the process
     * @param number 1 for the first file of the run
     * @param beginsMicros the start of the file, in microseconds since the epoch
     */
    public record Part(String node, String run, long number, long beginsMicros) {}

    /** Converts names that may identify callers to the form that a file contains. The same name must always get the same form. */
    public interface Names {

        /** Leaves all names as they are. */
        Names PLAIN = new Names() {
            @Override
            public String count(String name) {
                return name;
            }

            @Override
            public String key(String key) {
                return key;
            }
        };

        /** Returns the form of the name of a count in the file. */
        String count(String name);

        /** Returns the form of the key of a demand or a charge in the file. */
        String key(String key);
    }

    private HistoryFile(FileChannel channel, Names names) {
        this.channel = channel;
        this.out = new LineOutput(Channels.newOutputStream(channel));
        this.names = names;
    }

    /** Creates a file for a whole history. The file must not exist. */
    static HistoryFile create(Path file, String node) throws IOException {
        HistoryFile created = open(file, Names.PLAIN);
        created.out
                .begin(HistoryFormat.MAGIC)
                .number(HistoryFormat.VERSION)
                .text(node)
                .end();
        created.flush();
        return created;
    }

    /** Creates a file for a part of a history. The file must not exist. */
    public static HistoryFile create(Path file, Part part, Names names) throws IOException {
        HistoryFile created = open(file, names);
        created.out
                .begin(HistoryFormat.MAGIC)
                .number(HistoryFormat.VERSION)
                .text(part.node())
                .text(part.run())
                .number(part.number())
                .number(part.beginsMicros())
                .end();
        created.flush();
        return created;
    }

    private static HistoryFile open(Path file, Names names) throws IOException {
        FileChannel channel = FileChannel.open(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly(file));
        lock(channel);
        return new HistoryFile(channel, names);
    }

    private static FileAttribute<?>[] ownerOnly(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    /** Locks the file until it is closed, so that {@link HistoryErasure} leaves it alone. */
    private static void lock(FileChannel channel) {
        try {
            FileLock unused = channel.tryLock();
        } catch (IOException e) {
            // Some file systems have no locks. Recording works without them.
        }
    }

    /** Returns the size of the file in bytes, including bytes that are not written yet. */
    public long size() throws IOException {
        return channel.position() + out.size();
    }

    /** Returns the number of names of counts in the file. These names are in memory until the file is closed. */
    public int counts() {
        return counts.size();
    }

    /** Returns the number of events that are not written yet and would be lost in a crash. */
    public long waiting() {
        return waiting;
    }

    /** Adds an event, which may be written later; see {@link #flush}. */
    public void write(HistoryEvent event) throws IOException {
        waiting++;
        if (event instanceof StepEvent recorded) {
            write(recorded, countOf(recorded.count()));
        } else if (event instanceof SpendEvent s) {
            int count = countOf(s.count());
            out.begin("s").text(s.ask()).number(count).text(s.lease()).number(s.permits());
            out.yes(s.answers()).number(s.ruleVersion());
            out.number(s.ownNanos()).number(s.endsNanos()).number(s.epochMicros());
        } else if (event instanceof UnspendEvent u) {
            int count = countOf(u.count());
            out.begin("u").text(u.ask()).number(count).text(u.lease()).number(u.permits());
            out.number(u.ownNanos()).number(u.endsNanos()).number(u.epochMicros());
        } else if (event instanceof AnswerEvent a) {
            String refusing = a.refusing();
            int count = refusing == null ? -1 : countOf(refusing);
            out.begin("t").text(a.ask()).number(a.demands()).yes(a.charging());
            out.yes(a.allowed()).text(a.source().word()).text(a.degraded()).number(count);
            out.number(a.permits()).number(a.ruleVersion()).number(a.ownNanos());
            out.number(a.epochMicros());
        } else if (event instanceof GapEvent gap) {
            out.begin("gap").number(gap.events()).number(gap.epochMicros());
        }
        out.end();
        if (out.size() == 0) {
            flushed();
        }
    }

    private void write(StepEvent recorded, int count) throws IOException {
        StepEvent.Step step = recorded.step();
        if (step instanceof StepEvent.Asked asked) {
            Demand d = asked.demand();
            Verdict v = asked.verdict();
            int limit = limitOf(d.limit());
            begin("a", recorded, count).text(asked.ask()).yes(asked.charging());
            out.number(asked.ruleVersion())
                    .number(limit)
                    .text(names.key(d.key()))
                    .number(d.permits());
            out.number(d.atLeast()).number(d.maxWaitMicros()).text(d.holder());
            out.yes(v.fits()).number(v.granted()).number(v.remaining());
            out.number(v.retryAfterMicros()).number(v.resetAfterMicros());
            out.number(v.waitMicros()).number(v.chargedAtMicros());
            if (d.keep() > 0) {
                out.yes(v.keptForOthers()).number(d.keep());
            }
        } else if (step instanceof StepEvent.GivenBack back) {
            int limit = limitOf(back.charge().limit());
            begin("b", recorded, count);
            charge(back.charge(), limit);
        } else if (step instanceof StepEvent.Renewed renewed) {
            int limit = limitOf(renewed.charge().limit());
            begin("r", recorded, count);
            charge(renewed.charge(), limit);
            out.yes(renewed.held());
        } else if (step instanceof StepEvent.Settled settled) {
            Settlement s = settled.settlement();
            int limit = limitOf(s.limit());
            begin("c", recorded, count).number(limit).text(names.key(s.key())).text(s.id());
            out.number(s.reserved()).number(s.actual()).number(s.chargedAtMicros());
            out.number(s.withinMicros()).number(settled.change());
        } else if (step instanceof StepEvent.Granted g) {
            int limit = limitOf(g.limit());
            begin("g", recorded, count).text(g.lease()).number(limit).text(names.key(g.key()));
            out.number(g.wanted()).number(g.atLeast()).number(g.cap()).number(g.maxWaitMicros());
            out.number(g.granted()).number(g.endsMicros()).number(g.waitMicros());
            out.number(g.chargedAtMicros());
        } else if (step instanceof StepEvent.Ended ended) {
            begin("e", recorded, count).text(ended.lease()).number(ended.spent());
            out.number(ended.returned());
        }
    }

    private int limitOf(Limit limit) throws IOException {
        if (limit == lastLimit) {
            return lastLimitNumber;
        }
        Integer known = limits.get(limit);
        if (known == null) {
            known = limits.size();
            limits.put(limit, known);
            out.begin("limit").number(known).json(HistoryFormat.json(limit)).end();
        }
        lastLimit = limit;
        lastLimitNumber = known;
        return known;
    }

    private int countOf(String count) throws IOException {
        Integer known = counts.get(count);
        if (known == null) {
            known = counts.size();
            counts.put(count, known);
            out.begin("count").number(known).text(names.count(count)).end();
        }
        return known;
    }

    private void charge(Charge charge, int limit) throws IOException {
        out.number(limit).text(names.key(charge.key())).number(charge.permits());
        out.number(charge.chargedAtMicros()).text(charge.holder());
    }

    private LineOutput begin(String kind, StepEvent recorded, int count) throws IOException {
        return out.begin(kind)
                .number(count)
                .number(recorded.since())
                .number(recorded.number())
                .number(recorded.changed() ? 1 : 0)
                .number(recorded.atMicros());
    }

    /**
     * Writes the added events. If that fails, close the file: it keeps its earlier content, and the {@linkplain #waiting waiting} events
     * are lost.
     */
    public void flush() throws IOException {
        out.flush();
        flushed();
    }

    private void flushed() throws IOException {
        waiting = 0;
        good = channel.position();
    }

    /** Ends the file. The next file of the run continues the history. */
    public void next() throws IOException {
        end("next", 0);
    }

    /**
     * Ends the history.
     *
     * @param lost the number of events that the history lacks, not counting the events in gaps
     */
    public void end(long lost) throws IOException {
        end("end", lost);
    }

    private void end(String kind, long lost) throws IOException {
        try (channel) {
            out.begin(kind).number(lost).end();
            flush();
        }
    }

    /** Closes the file without an end, after a failure. Drops an incomplete line. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            try (channel) {
                channel.truncate(good);
            }
        }
    }
}
