package io.sluice.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
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
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads a file that a {@link HistoryWriter} or another user of {@link HistoryFile} wrote, one event at a time. */
final class HistoryReader {

    private static final ObjectReader JSON = new ObjectMapper().readerFor(JsonNode.class);
    private static final int LONGEST_HEADER = 4_096;

    private final Path file;
    private final Consumer<HistoryEvent> events;
    private final List<Limit> limits = new ArrayList<>();
    private final List<String> counts = new ArrayList<>();
    private HistoryFile.@Nullable Part part;
    private Ending ending = Ending.CUT;
    private long lost;

    /** The ending of a file. */
    enum Ending {
        /** The history ends here. */
        END,
        /** Another file continues the history. */
        NEXT,
        /** The process was killed, could not write, or is still writing. */
        CUT
    }

    /**
     * The part of a history that a file contains, and its ending.
     *
     * @param part the part of a history; its run is empty if the file is a whole history
     * @param lost the number of events that the file lacks at its end
     */
    record Frame(HistoryFile.Part part, Ending ending, long lost) {

        boolean isWhole() {
            return ending == Ending.END && lost == 0;
        }
    }

    private HistoryReader(Path file, Consumer<HistoryEvent> events) {
        this.file = file;
        this.events = events;
    }

    static History.Node read(Path file) throws IOException {
        List<HistoryEvent> events = new ArrayList<>();
        Frame frame = read(file, Long.MAX_VALUE, events::add);
        boolean whole = frame.isWhole() && events.stream().noneMatch(GapEvent.class::isInstance);
        return new History.Node(frame.part().node(), whole, events);
    }

    /**
     * Reads a file and passes its events on.
     *
     * @param size the maximum number of bytes to read, because a file may grow meanwhile
     */
    static Frame read(Path file, long size, Consumer<HistoryEvent> events) throws IOException {
        return new HistoryReader(file, events).read(size);
    }

    /** Returns the part of a history that a file contains, or null if it contains no history. */
    static HistoryFile.@Nullable Part part(Path file) throws IOException {
        HistoryReader reader = new HistoryReader(file, event -> {});
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            char[] start = new char[LONGEST_HEADER];
            int size = Math.max(0, lines.read(start));
            String text = new String(start, 0, size);
            int end = text.indexOf('\n');
            String line = end < 0 ? text : text.substring(0, end);
            if (!line.startsWith("[\"" + HistoryFormat.MAGIC + "\",")) {
                return null;
            }
            try {
                reader.read(new Row(JSON.readTree(line)));
            } catch (JsonProcessingException | RuntimeException e) {
                if (end < 0 && size < LONGEST_HEADER) {
                    return null; // the process was killed while it wrote this line
                }
                throw new IOException(file + ":1: unreadable (expected: the header of a history)", e);
            }
            return reader.part;
        }
    }

    private Frame read(long size) throws IOException {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new FirstBytes(Files.newInputStream(file), size), StandardCharsets.UTF_8))) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                try {
                    read(new Row(JSON.readTree(line)));
                } catch (JsonProcessingException | RuntimeException e) {
                    if (lines.readLine() == null && number > 1) {
                        break; // the process was killed while it wrote this line
                    }
                    throw new IOException(file + ":" + number + ": " + line + " (expected: a line of a history)", e);
                }
            }
        }
        if (part == null) {
            throw new IOException(file + ": no header (expected: a history file)");
        }
        return new Frame(part, ending, lost);
    }

    private void read(Row row) {
        String kind = row.text();
        switch (kind) {
            case HistoryFormat.MAGIC -> {
                long version = row.number();
                if (!HistoryFormat.isReadable(version)) {
                    throw new IllegalArgumentException(
                            "version: " + version + " (expected: " + HistoryFormat.readable() + ")");
                }
                String node = row.text();
                part = row.hasNext()
                        ? new HistoryFile.Part(node, row.text(), row.number(), row.number())
                        : new HistoryFile.Part(node, "", 1, 0);
            }
            case "limit" -> {
                expect(row.number() == limits.size(), "the next limit");
                limits.add(HistoryFormat.limit(row.next()));
            }
            case "count" -> {
                expect(row.number() == counts.size(), "the next count");
                counts.add(row.text());
            }
            case "end" -> {
                lost = row.number();
                ending = Ending.END;
            }
            case "next" -> ending = Ending.NEXT;
            case "gap" -> events.accept(new GapEvent(row.number(), row.number()));
            case "s" ->
                events.accept(new SpendEvent(
                        row.text(),
                        count(row),
                        row.text(),
                        row.number(),
                        row.yes(),
                        row.number(),
                        row.number(),
                        row.number(),
                        row.number()));
            case "u" ->
                events.accept(new UnspendEvent(
                        row.text(), count(row), row.text(), row.number(), row.number(), row.number(), row.number()));
            case "t" -> events.accept(answered(row));
            default -> {
                String count = count(row);
                events.accept(
                        new StepEvent(count, row.number(), row.number(), row.yes(), row.number(), step(kind, row)));
            }
        }
    }

    private StepEvent.Step step(String kind, Row row) {
        return switch (kind) {
            case "a" -> asked(row);
            case "b" -> new StepEvent.GivenBack(charge(row));
            case "r" -> new StepEvent.Renewed(charge(row), row.yes());
            case "c" -> settled(row);
            case "g" ->
                new StepEvent.Granted(
                        row.text(),
                        limit(row),
                        row.text(),
                        row.number(),
                        row.number(),
                        row.number(),
                        row.number(),
                        row.number(),
                        row.number(),
                        row.number(),
                        row.number());
            case "e" -> new StepEvent.Ended(row.text(), row.number(), row.number());
            default -> throw new IllegalArgumentException("kind: \"" + kind + "\" (expected: a known kind)");
        };
    }

    private StepEvent.Asked asked(Row row) {
        String ask = row.text();
        boolean charging = row.yes();
        long ruleVersion = row.number();
        Limit limit = limit(row);
        String key = row.text();
        long permits = row.number();
        long atLeast = row.number();
        long maxWaitMicros = row.number();
        String holder = row.text();
        Verdict verdict = new Verdict(
                row.yes(),
                row.number(),
                row.number(),
                row.number(),
                row.number(),
                row.number(),
                row.number(),
                row.hasNext() && row.yes());
        long keep = row.hasNext() ? row.number() : 0;
        // A demand for no permits is valid only together with the permits that it keeps.
        Demand demand = Demand.of(limit, key, 1)
                .keeping(keep)
                .permits(permits)
                .orAtLeast(atLeast)
                .waitingUpTo(maxWaitMicros)
                .heldBy(holder);
        return new StepEvent.Asked(ask, demand, charging, ruleVersion, verdict);
    }

    private StepEvent.Settled settled(Row row) {
        Limit limit = limit(row);
        String key = row.text();
        String id = row.text();
        Settlement settlement = new Settlement(limit, key, row.number(), row.number(), row.number(), id, row.number());
        return new StepEvent.Settled(settlement, row.number());
    }

    private AnswerEvent answered(Row row) {
        String ask = row.text();
        int demands = (int) row.number();
        boolean charging = row.yes();
        boolean allowed = row.yes();
        AnswerEvent.Source source = AnswerEvent.Source.of(row.text());
        JsonNode degraded = row.next();
        int refusing = (int) row.number();
        return new AnswerEvent(
                ask,
                demands,
                charging,
                allowed,
                source,
                degraded.isNull() ? null : degraded.asText(),
                refusing < 0 ? null : counts.get(refusing),
                row.number(),
                row.number(),
                row.number(),
                row.number());
    }

    private Charge charge(Row row) {
        return new Charge(limit(row), row.text(), row.number(), row.number(), row.text());
    }

    private Limit limit(Row row) {
        return limits.get((int) row.number());
    }

    private String count(Row row) {
        return counts.get((int) row.number());
    }

    private static void expect(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("unexpected value (expected: " + what + ")");
        }
    }

    /** A stream that ends after a maximum number of bytes. */
    private static final class FirstBytes extends FilterInputStream {

        private long left;

        FirstBytes(InputStream in, long size) {
            super(in);
            this.left = size;
        }

        @Override
        public int read() throws IOException {
            int read = left > 0 ? in.read() : -1;
            left -= read < 0 ? 0 : 1;
            return read;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (left <= 0) {
                return -1;
            }
            int read = in.read(bytes, offset, (int) Math.min(length, left));
            left -= Math.max(0, read);
            return read;
        }
    }

    /** The values of a line, in order. */
    private static final class Row {

        private final JsonNode values;
        private int place;

        Row(JsonNode values) {
            expect(values != null && values.isArray(), "an array");
            this.values = values;
        }

        boolean hasNext() {
            return place < values.size();
        }

        JsonNode next() {
            return values.required(place++);
        }

        long number() {
            JsonNode value = next();
            expect(value.isIntegralNumber(), "a whole number");
            return value.longValue();
        }

        boolean yes() {
            return number() == 1;
        }

        String text() {
            JsonNode value = next();
            expect(value.isTextual(), "a text");
            return value.textValue();
        }
    }
}
