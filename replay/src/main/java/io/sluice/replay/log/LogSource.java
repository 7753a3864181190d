package io.sluice.replay.log;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** One log: its format and the position of the reader. The log is opened when its time has come. Not thread-safe. */
final class LogSource implements AutoCloseable {

    private static final int HEAD_BYTES = 65_536;

    /**
     * The number of requests at the beginning of a log that determine its start time, in case the first request has a wrong
     * time.
     */
    private static final int HEAD_REQUESTS = 16;

    private static final long MINUTE = 60_000_000;
    private static final long HOUR = 60 * MINUTE;

    private final LogInput input;
    private final int index;
    private final LongAdder bytesRead;
    private final LogFormat format;
    private final Layout layout;
    private final LineParser parser;
    private final LineFields fields;
    private final RequestDecoder decoder;
    private @Nullable InputStream stream;
    private @Nullable ByteLines lines;

    /** The latest time that was read, or the start time of the log if no line was read yet. */
    private long positionMicros;

    private boolean ended;

    /** A line whose time is far ahead of the lines before it. The next line shows whether that time is right. */
    private byte @Nullable [] leap;

    private long leapMicros;
    private long leapNumber;

    private LogSource(
            LogInput input,
            int index,
            LogFormat format,
            LogOptions options,
            Layout layout,
            TextMemory memory,
            LongAdder bytesRead) {
        this.input = input;
        this.index = index;
        this.bytesRead = bytesRead;
        this.format = format;
        this.layout = layout;
        this.parser = format.hurriedParser(layout, options.mapping());
        this.fields = new LineFields(layout, !format.hashesCallers());
        this.decoder = new RequestDecoder(layout, options, format.hashesCallers(), memory);
    }

    /**
     * Reads the beginning of a log.
     *
     * @throws IOException if the log cannot be opened
     * @throws IllegalArgumentException if its format is unknown
     */
    static LogSource prepare(
            LogInput input, int index, LogOptions options, Layout layout, TextMemory memory, LongAdder bytesRead)
            throws IOException {
        InputStream opened = input.open(input.isRepeatable() ? new LongAdder() : bytesRead);
        List<byte[]> head = head(opened);
        LogFormat format = options.format()
                .or(() -> head.isEmpty()
                        ? Optional.of(LogFormat.of("common"))
                        : FormatGuess.of(head, layout, options.mapping()))
                .orElseThrow(() -> new IllegalArgumentException(input.name()
                        + ":1:1: the format is unknown (expected: --format with one of "
                        + String.join(", ", LogFormat.names())
                        + ", or a log_format of nginx)"));
        LogSource source = new LogSource(input, index, format, options, layout, memory, bytesRead);
        source.positionMicros = source.begin(head, options);
        if (input.isRepeatable()) {
            opened.close();
        } else {
            source.stream = opened;
        }
        return source;
    }

    /** Returns the first lines without changing the position of the stream. */
    private static List<byte[]> head(InputStream in) throws IOException {
        byte[] bytes = new byte[HEAD_BYTES];
        in.mark(HEAD_BYTES);
        int filled = 0;
        boolean ended = false;
        try {
            while (filled < HEAD_BYTES && !ended) {
                int read = in.read(bytes, filled, HEAD_BYTES - filled);
                ended = read < 0;
                filled += Math.max(0, read);
            }
        } catch (IOException e) {
            // The lines before the damage are read later, and the damage is then reported.
            ended = true;
        }
        in.reset();
        List<byte[]> head = new ArrayList<>();
        ByteLines lines = new ByteLines(new ByteArrayInputStream(bytes, 0, filled));
        while (lines.next()) {
            if (!lines.isBlank() && !lines.isTooLong()) {
                head.add(lines.copy());
            }
        }
        if (!ended && head.size() > 1) {
            // The last line may be incomplete.
            head.remove(head.size() - 1);
        }
        return head;
    }

    private long begin(List<byte[]> head, LogOptions options) {
        LineParser ahead = format.parser(layout, options.mapping());
        LineFields values = new LineFields(layout, !format.hashesCallers());
        long earliest = Long.MAX_VALUE;
        int found = 0;
        for (int i = 0; i < head.size() && found < HEAD_REQUESTS; i++) {
            values.clear();
            if (ahead.read(head.get(i), 0, head.get(i).length, values) == LineParser.Line.REQUEST
                    && values.complete()) {
                earliest = Math.min(earliest, values.atMicros());
                found++;
            }
        }
        return found == 0 ? Long.MIN_VALUE : earliest;
    }

    LogFormat format() {
        return format;
    }

    String name() {
        return input.name();
    }

    RequestDecoder decoder() {
        return decoder;
    }

    boolean isEnded() {
        return ended;
    }

    long positionMicros() {
        return positionMicros;
    }

    /** Reads the next line. */
    void advance(TimeOrder order, LogProblems problems) throws IOException {
        ByteLines from;
        try {
            from = lines();
            if (!from.next()) {
                end(order, problems);
                return;
            }
        } catch (IOException e) {
            long line = lines == null ? 1 : lines.number() + 1;
            problems.damaged(input.name(), line, e.getClass().getSimpleName() + " " + e.getMessage());
            end(order, problems);
            return;
        }
        if (from.isBlank()) {
            return;
        }
        if (from.isTooLong()) {
            problems.unreadable(
                    input.name(), from.number(), "1: too long (expected: at most " + ByteLines.LONGEST + " bytes)");
        } else if (read(from.bytes(), from.from(), from.to(), from.number(), problems)) {
            add(from, order, problems);
        }
    }

    private ByteLines lines() throws IOException {
        ByteLines known = lines;
        if (known == null) {
            InputStream opened = stream == null ? input.open(bytesRead) : stream;
            stream = opened;
            known = new ByteLines(opened);
            lines = known;
        }
        return known;
    }

    private boolean read(byte[] bytes, int start, int end, long number, LogProblems problems) {
        fields.clear();
        LineParser.Line kind = parser.read(bytes, start, end, fields);
        if (kind == LineParser.Line.REQUEST && fields.complete()) {
            return true;
        }
        if (kind != LineParser.Line.NOTHING) {
            problems.unreadable(input.name(), number, fields.problem());
        }
        return false;
    }

    private void add(ByteLines from, TimeOrder order, LogProblems problems) {
        long at = fields.atMicros();
        if (leap != null) {
            boolean right = at >= leapMicros - MINUTE;
            landed(right, order, problems);
            read(from.bytes(), from.from(), from.to(), from.number(), problems);
        }
        if (positionMicros == Long.MIN_VALUE || at - HOUR > positionMicros) {
            leap = from.copy();
            leapMicros = at;
            leapNumber = from.number();
            return;
        }
        positionMicros = Math.max(positionMicros, at);
        keep(from.number(), order, problems);
    }

    /** Ends a leap. The line is kept if its time is right, and otherwise reported as unreadable. */
    private void landed(boolean right, TimeOrder order, LogProblems problems) {
        byte[] line = leap;
        leap = null;
        if (line == null) {
            return;
        }
        if (!right) {
            problems.unreadable(
                    input.name(),
                    leapNumber,
                    "1: time: far ahead of the lines around it (expected: the order of time)");
        } else if (read(line, 0, line.length, leapNumber, problems)) {
            positionMicros = leapMicros;
            keep(leapNumber, order, problems);
        }
    }

    private void keep(long number, TimeOrder order, LogProblems problems) {
        if (!order.add(index, number, fields, layout)) {
            problems.late(input.name(), number);
        }
    }

    private void end(TimeOrder order, LogProblems problems) throws IOException {
        landed(true, order, problems);
        ended = true;
        close();
    }

    @Override
    public void close() throws IOException {
        if (stream != null) {
            stream.close();
        }
        lines = null;
    }
}
