package io.sluice.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a file that a {@link HistoryWriter} wrote. */
final class HistoryReader {

    private static final ObjectReader JSON = new ObjectMapper().readerFor(JsonNode.class);

    private final Path file;
    private final List<Limit> limits = new ArrayList<>();
    private final List<String> counts = new ArrayList<>();
    private final List<HistoryEvent> events = new ArrayList<>();
    private @Nullable String node;
    private long lost = -1;

    private HistoryReader(Path file) {
        this.file = file;
    }

    static History.Node read(Path file) throws IOException {
        return new HistoryReader(file).read();
    }

    private History.Node read() throws IOException {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
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
        if (node == null) {
            throw new IOException(file + ": no header (expected: a history file)");
        }
        return new History.Node(node, lost == 0, events);
    }

    private void read(Row row) {
        String kind = row.text();
        switch (kind) {
            case HistoryFormat.MAGIC -> {
                long version = row.number();
                if (version != HistoryFormat.VERSION) {
                    throw new IllegalArgumentException(
                            "version: " + version + " (expected: " + HistoryFormat.VERSION + ")");
                }
                node = row.text();
            }
            case "limit" -> {
                expect(row.number() == limits.size(), "the next limit");
                limits.add(HistoryFormat.limit(row.next()));
            }
            case "count" -> {
                expect(row.number() == counts.size(), "the next count");
                counts.add(row.text());
            }
            case "end" -> lost = row.number();
            case "s" ->
                events.add(new SpendEvent(
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
                events.add(new UnspendEvent(
                        row.text(), count(row), row.text(), row.number(), row.number(), row.number(), row.number()));
            case "t" -> events.add(answered(row));
            default -> {
                String count = count(row);
                events.add(new StepEvent(count, row.number(), row.number(), row.yes(), row.number(), step(kind, row)));
            }
        }
    }

    private StepEvent.Step step(String kind, Row row) {
        return switch (kind) {
            case "a" -> asked(row);
            case "b" -> new StepEvent.GivenBack(charge(row));
            case "r" -> new StepEvent.Renewed(charge(row), row.yes());
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
        Demand demand = Demand.of(limit(row), row.text(), row.number())
                .orAtLeast(row.number())
                .waitingUpTo(row.number())
                .heldBy(row.text());
        Verdict verdict = new Verdict(
                row.yes(), row.number(), row.number(), row.number(), row.number(), row.number(), row.number());
        return new StepEvent.Asked(ask, demand, charging, ruleVersion, verdict);
    }

    private AnswerEvent answered(Row row) {
        String ask = row.text();
        int demands = (int) row.number();
        boolean charging = row.yes();
        boolean allowed = row.yes();
        AnswerEvent.Source source = AnswerEvent.Source.valueOf(row.text());
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

    /** The values of a line, in order. */
    private static final class Row {

        private final JsonNode values;
        private int place;

        Row(JsonNode values) {
            expect(values != null && values.isArray(), "an array");
            this.values = values;
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
