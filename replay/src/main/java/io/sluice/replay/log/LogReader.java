package io.sluice.replay.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The requests of several logs in the order of time. Lines that are out of order by up to a minute are put into order; later lines are
 * counted and left out. Unreadable lines are also counted. Not thread-safe, except for {@link #bytesRead}.
 *
 * <p>Memory does not depend on the length of the logs: the lines that wait to be put into order are bounded by {@link
 * LogOptions#orderBytes}, a file is opened when its time has come, and an open file takes about half a megabyte.
 */
public final class LogReader implements AutoCloseable {

    private static final long MINUTE = 60_000_000;
    private static final long SECOND = 1_000_000;
    private static final int MOST_FILES = 65_535;

    private final List<LogSource> sources = new ArrayList<>();
    private final Set<String> wanted;
    private final LogProblems problems = new LogProblems();
    private final TimeOrder order;
    private final LongAdder bytesRead;
    private final long totalBytes;

    private TimeOrder.@Nullable Block block;
    private int place;

    private LogReader(LogOptions options, LongAdder bytesRead, long totalBytes) {
        this.order = new TimeOrder(options.orderBytes());
        this.wanted = options.wanted();
        this.bytesRead = bytesRead;
        this.totalBytes = totalBytes;
    }

    /**
     * Opens logs.
     *
     * @throws IOException if one of them cannot be opened
     * @throws IllegalArgumentException if the format of one of them is unknown, or lacks a field that the options name
     */
    public static LogReader open(List<LogInput> inputs, LogOptions options) throws IOException {
        if (inputs.size() > MOST_FILES) {
            throw new IllegalArgumentException("files: " + inputs.size() + " (expected: at most " + MOST_FILES + ")");
        }
        long total = 0;
        for (LogInput input : inputs) {
            long size = input.size();
            total = size < 0 || total < 0 ? -1 : total + size;
        }
        LongAdder bytesRead = new LongAdder();
        LogReader reader = new LogReader(options, bytesRead, total);
        Layout layout = new Layout(options.wanted());
        TextMemory memory = new TextMemory();
        for (LogInput input : inputs) {
            reader.sources.add(LogSource.prepare(input, reader.sources.size(), options, layout, memory, bytesRead));
        }
        return reader;
    }

    /** Returns the next request; null at the end. */
    public @Nullable LoggedRequest next() throws IOException {
        while (true) {
            TimeOrder.Block from = block;
            if (from == null) {
                from = fill();
                if (from == null) {
                    return null;
                }
                block = from;
                place = 0;
            }
            while (place < from.count()) {
                LoggedRequest request = request(from, from.start(place++));
                if (request != null) {
                    return request;
                }
            }
            order.recycle(from);
            block = null;
        }
    }

    private @Nullable LoggedRequest request(TimeOrder.Block from, int start) {
        LogSource source = sources.get(from.source(start));
        try {
            return new LoggedRequest(
                    from.atMicros(start),
                    from.durationMicros(start),
                    from.status(start),
                    from.permits(start),
                    source.decoder().attributes(from, TimeOrder.Block.values(start)),
                    source.name(),
                    from.line(start));
        } catch (IllegalArgumentException e) {
            problems.unreadable(source.name(), from.line(start), "1: " + e.getMessage());
            return null;
        }
    }

    /** Reads until the lines of a second are complete. */
    private TimeOrder.@Nullable Block fill() throws IOException {
        while (true) {
            LogSource first = null;
            long next = Long.MAX_VALUE;
            for (LogSource source : sources) {
                if (source.isEnded()) {
                    continue;
                }
                if (first == null || source.positionMicros() < first.positionMicros()) {
                    next = first == null ? next : first.positionMicros();
                    first = source;
                } else {
                    next = Math.min(next, source.positionMicros());
                }
            }
            if (first == null) {
                return order.poll(Long.MAX_VALUE);
            }
            TimeOrder.Block ready = readUntil(first, next);
            if (ready != null) {
                return ready;
            }
        }
    }

    /** Reads the log that is furthest behind, until another log is. */
    private TimeOrder.@Nullable Block readUntil(LogSource source, long nextMicros) throws IOException {
        long until = nextMicros > Long.MAX_VALUE - SECOND ? Long.MAX_VALUE : nextMicros + SECOND;
        while (!source.isEnded() && source.positionMicros() <= until) {
            source.advance(order, problems);
            long behind = Math.min(source.isEnded() ? Long.MAX_VALUE : source.positionMicros(), nextMicros);
            TimeOrder.Block ready =
                    behind == Long.MAX_VALUE || behind == Long.MIN_VALUE ? null : order.poll(behind - MINUTE);
            if (ready != null) {
                return ready;
            }
        }
        return null;
    }

    /** Returns the lines that could not be replayed so far. */
    public LogProblems problems() {
        return problems;
    }

    /** Returns the format of each log by its name. */
    public Map<String, String> formats() {
        Map<String, String> formats = new LinkedHashMap<>();
        sources.forEach(source -> formats.put(source.name(), source.format().name()));
        return formats;
    }

    /** Returns the wanted attributes that no request had so far. */
    public Set<String> missing() {
        Set<String> missing = new TreeSet<>(wanted);
        missing.removeIf(name -> name.equals("answer.status")
                || sources.stream().anyMatch(source -> source.decoder().hasSeen(name)));
        return missing;
    }

    /** Returns the number of stored bytes of the logs that have been read. */
    public long bytesRead() {
        return bytesRead.sum();
    }

    /** Returns the size of all logs as they are stored; -1 if it is unknown. */
    public long totalBytes() {
        return totalBytes;
    }

    @Override
    public void close() throws IOException {
        for (LogSource source : sources) {
            source.close();
        }
    }
}
