package io.sluice.history;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.HistoryQueue;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the history of one process to a file, one JSON array per line; see {@code docs/history.md}. Callers block only while
 * {@value #CAPACITY} events wait to be written ({@link HistoryQueue}). Thread-safe.
 *
 * <p>If the process is killed, the file keeps what was written, with at most the last line broken. It then lacks the end line,
 * which the reader notices.
 */
public final class HistoryWriter implements HistoryListener, AutoCloseable {

    /** The most events that may wait to be written. */
    public static final int CAPACITY = 65_536;

    private final HistoryQueue queue;

    private HistoryWriter(HistoryQueue queue) {
        this.queue = queue;
    }

    /**
     * Starts a history.
     *
     * @param file the file to create; it must not exist
     * @param node the name of the process, different for each process
     */
    public static HistoryWriter open(Path file, String node) throws IOException {
        Lines lines = new Lines(file);
        lines.header(node);
        return new HistoryWriter(new HistoryQueue(lines, CAPACITY));
    }

    /** Returns how many events were not written. */
    public long lost() {
        return queue.lost();
    }

    @Override
    public void happened(HistoryEvent event) {
        queue.happened(event);
    }

    /** Writes the waiting events and the end line. */
    @Override
    public void close() {
        queue.close();
    }

    /** The file. Limits and names of counts are written once and then referenced by number. */
    private static final class Lines implements HistoryQueue.Sink {

        private final LineOutput out;
        private final Map<Limit, Integer> limits = new HashMap<>();
        private final Map<String, Integer> counts = new HashMap<>();

        /** The limit written last. Most limits repeat as the same object, and comparing references is faster. */
        private @Nullable Limit lastLimit;

        private int lastLimitNumber;

        Lines(Path file) throws IOException {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            lock(channel);
            this.out = new LineOutput(Channels.newOutputStream(channel));
        }

        /** Tells {@link HistoryErasure} that the file is in use, until it is closed. */
        private static void lock(FileChannel channel) {
            try {
                FileLock unused = channel.tryLock();
            } catch (IOException e) {
                // Some file systems have no locks. Recording works without.
            }
        }

        void header(String node) throws IOException {
            out.begin(HistoryFormat.MAGIC)
                    .number(HistoryFormat.VERSION)
                    .text(node)
                    .end();
            out.flush();
        }

        @Override
        public void write(HistoryEvent event) throws IOException {
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
                out.yes(a.allowed()).text(a.source().name()).text(a.degraded()).number(count);
                out.number(a.permits()).number(a.ruleVersion()).number(a.ownNanos());
                out.number(a.epochMicros());
            }
            out.end();
        }

        private void write(StepEvent recorded, int count) throws IOException {
            StepEvent.Step step = recorded.step();
            if (step instanceof StepEvent.Asked asked) {
                Demand d = asked.demand();
                Verdict v = asked.verdict();
                int limit = limitOf(d.limit());
                begin("a", recorded, count).text(asked.ask()).yes(asked.charging());
                out.number(asked.ruleVersion()).number(limit).text(d.key()).number(d.permits());
                out.number(d.atLeast()).number(d.maxWaitMicros()).text(d.holder());
                out.yes(v.fits()).number(v.granted()).number(v.remaining());
                out.number(v.retryAfterMicros()).number(v.resetAfterMicros());
                out.number(v.waitMicros()).number(v.chargedAtMicros());
            } else if (step instanceof StepEvent.GivenBack back) {
                int limit = limitOf(back.charge().limit());
                begin("b", recorded, count);
                charge(back.charge(), limit);
            } else if (step instanceof StepEvent.Renewed renewed) {
                int limit = limitOf(renewed.charge().limit());
                begin("r", recorded, count);
                charge(renewed.charge(), limit);
                out.yes(renewed.held());
            } else if (step instanceof StepEvent.Granted g) {
                int limit = limitOf(g.limit());
                begin("g", recorded, count).text(g.lease()).number(limit).text(g.key());
                out.number(g.wanted()).number(g.atLeast()).number(g.cap()).number(g.maxWaitMicros());
                out.number(g.granted()).number(g.endsMicros()).number(g.waitMicros());
                out.number(g.chargedAtMicros());
            } else if (step instanceof StepEvent.Ended ended) {
                begin("e", recorded, count).text(ended.lease()).number(ended.spent());
                out.number(ended.returned());
            }
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void end(long lost) throws IOException {
            out.begin("end").number(lost).end();
            out.close();
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
                out.begin("count").number(known).text(count).end();
            }
            return known;
        }

        private void charge(Charge charge, int limit) throws IOException {
            out.number(limit).text(charge.key()).number(charge.permits());
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
    }
}
