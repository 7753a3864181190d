package io.sluice.testkit.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of requests with their exact answers, computed by a model that shares no code with any engine ({@code
 * testkit/oracle}). Engines that replay all vectors correctly agree with each other to the microsecond.
 */
public final class GoldenVector {

    private final String name;
    private final List<Step> steps;

    private GoldenVector(String name, List<Step> steps) {
        this.name = name;
        this.steps = List.copyOf(steps);
    }

    /** Returns the vectors that every engine replays. */
    public static List<GoldenVector> all() {
        return read("written.json", "random.json");
    }

    /** Returns the vectors of demands that keep permits for other callers. */
    public static List<GoldenVector> keeping() {
        return read("keep.json");
    }

    /** Returns the vectors of reservations that are settled; some of their demands also keep permits for other callers. */
    public static List<GoldenVector> settling() {
        return read("settle.json");
    }

    private static List<GoldenVector> read(String... files) {
        List<GoldenVector> vectors = new ArrayList<>();
        for (String file : files) {
            try (InputStream in = GoldenVector.class.getResourceAsStream("vectors/" + file)) {
                new ObjectMapper().readTree(Objects.requireNonNull(in, file)).forEach(v -> vectors.add(read(v)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return vectors;
    }

    /** Returns whether time steps back somewhere in this vector. */
    public boolean stepsBack() {
        for (int i = 1; i < steps.size(); i++) {
            if (steps.get(i).atMicros < steps.get(i - 1).atMicros) {
                return true;
            }
        }
        return false;
    }

    /** Sends every request to the engine and compares every answer. */
    public void replay(EngineUnderTest subject) throws Exception {
        List<List<Charge>> charges = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            subject.setMicros(step.atMicros);
            if (step.ask == null) {
                List<Charge> named = charges.get(step.charged);
                if (step.settled != null) {
                    List<SettlementResult> results = subject.engine()
                            .settle(step.settled.of(named))
                            .toCompletableFuture()
                            .get();
                    Assertions.assertThat(results)
                            .as("%s, step %d: settle", name, i)
                            .isEqualTo(step.settled.results);
                } else if (step.stillHeld == null) {
                    subject.engine().giveBack(named).toCompletableFuture().get();
                } else {
                    boolean held = subject.engine()
                            .renew(named.get(0))
                            .toCompletableFuture()
                            .get();
                    Assertions.assertThat(held)
                            .as("%s, step %d: renew", name, i)
                            .isEqualTo(step.stillHeld);
                }
                charges.add(List.of());
                continue;
            }
            EngineDecision decided = subject.decide(step.ask);
            Assertions.assertThat(decided)
                    .as("%s, step %d: %s", name, i, step.ask)
                    .isEqualTo(step.expected);
            charges.add(decided.charges(step.ask));
        }
    }

    @Override
    public String toString() {
        return name;
    }

    private static GoldenVector read(JsonNode vector) {
        Map<String, Limit> limits = new HashMap<>();
        vector.get("limits").properties().forEach(e -> limits.put(e.getKey(), limit(e.getValue())));
        List<Step> steps = new ArrayList<>();
        vector.get("steps").forEach(step -> steps.add(step(step, limits)));
        return new GoldenVector(vector.get("name").asText(), steps);
    }

    private static Limit limit(JsonNode node) {
        Algorithm algorithm = Algorithm.of(node.get("algorithm").asText());
        Map<Parameter, Object> values = new EnumMap<>(Parameter.class);
        for (Parameter parameter : algorithm.parameters()) {
            if (node.has(parameter.word())) {
                values.put(parameter, value(parameter, node.get(parameter.word())));
            }
        }
        return algorithm.limit(node.get("name").asText(), values);
    }

    private static Object value(Parameter parameter, JsonNode node) {
        return switch (parameter) {
            case RATE -> new Rate(node.get(0).asLong(), micros(node.get(1)));
            case BURST, CAPACITY, LIMIT, SLICES -> node.asLong();
            case MAX_WAIT, WINDOW, TTL -> micros(node);
            case ALIGN -> Calendar.of(node.asText().toLowerCase(Locale.ROOT));
            case ZONE -> ZoneId.of(node.asText());
            case WEIGHTED -> node.asBoolean();
        };
    }

    private static Step step(JsonNode node, Map<String, Limit> limits) {
        long at = node.get("at").asLong();
        if (node.has("give_back")) {
            return new Step(at, null, null, node.get("give_back").asInt(), null, null);
        }
        if (node.has("renew")) {
            return new Step(
                    at, null, null, node.get("renew").asInt(), node.get("held").asBoolean(), null);
        }
        if (node.has("settle")) {
            return new Step(at, null, null, node.get("settle").asInt(), null, figures(node));
        }
        List<Demand> demands = new ArrayList<>();
        for (JsonNode d : node.get("ask")) {
            Limit limit = Objects.requireNonNull(limits.get(d.get(0).asText()));
            Demand demand = Demand.of(limit, d.get(1).asText(), 1)
                    .keeping(d.path(6).asLong())
                    .permits(d.get(2).asLong())
                    .orAtLeast(d.get(3).asLong())
                    .waitingUpTo(d.get(4).asLong());
            demands.add(
                    d.path(5).asText().isEmpty()
                            ? demand
                            : demand.heldBy(d.get(5).asText()));
        }
        List<Verdict> verdicts = new ArrayList<>();
        for (JsonNode v : node.get("verdicts")) {
            verdicts.add(new Verdict(
                    v.get(0).asInt() == 1,
                    v.get(1).asLong(),
                    v.get(2).asLong(),
                    orNever(v.get(3)),
                    orNever(v.get(4)),
                    v.get(5).asLong(),
                    v.get(6).asLong(),
                    v.get(0).asInt() == 2));
        }
        Ask ask = Ask.charging(demands);
        EngineDecision expected = new EngineDecision(node.get("allowed").asBoolean(), verdicts, at, null);
        return new Step(at, node.get("look").asBoolean() ? ask.looking() : ask, expected, -1, null, null);
    }

    private static Figures figures(JsonNode node) {
        List<Long> actual = new ArrayList<>();
        node.get("actual").forEach(figure -> actual.add(figure.asLong()));
        List<SettlementResult> results = new ArrayList<>();
        for (JsonNode result : node.get("results")) {
            SettlementResult.Kind kind =
                    SettlementResult.Kind.valueOf(result.get(0).asText().toUpperCase(Locale.ROOT));
            results.add(new SettlementResult(kind, result.get(1).asLong()));
        }
        return new Figures(node.get("id").asText(), node.get("within").asLong(), actual, results);
    }

    private static long orNever(JsonNode node) {
        return node.isTextual() ? Verdict.NEVER : node.asLong();
    }

    private static Duration micros(JsonNode node) {
        return Duration.of(node.asLong(), ChronoUnit.MICROS);
    }

    private record Step(
            long atMicros,
            @Nullable Ask ask,
            @Nullable EngineDecision expected,
            int charged,
            @Nullable Boolean stillHeld,
            @Nullable Figures settled) {}

    /** The real costs of the charges of a step, and the results of settling them. */
    private record Figures(String id, long withinMicros, List<Long> actual, List<SettlementResult> results) {

        List<Settlement> of(List<Charge> charges) {
            List<Settlement> settlements = new ArrayList<>();
            for (int i = 0; i < charges.size(); i++) {
                settlements.add(Settlement.of(charges.get(i), actual.get(i), id, withinMicros));
            }
            return settlements;
        }
    }
}
