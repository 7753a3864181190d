package io.sluice.benchmarks.verdicts;

import io.sluice.benchmarks.verdicts.Scenario.Assignment;
import io.sluice.center.verdict.Measure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** The scenarios, each with several shares. */
final class Scenarios {

    static final int CALLERS = 20_000;

    /** Of each caller in an interval. */
    static final int REQUESTS = 3;

    static final int BASELINE = 8;

    private static final long SEED = 24;
    private static final int FEW = 300;

    private static final List<Double> SHARES = List.of(0.01, 0.05, 0.2, 0.5);
    private static final List<Double> SHARES_OF_NODES = List.of(0.1, 0.2, 1 / 3.0, 0.5);

    private static final Set<Measure> ALL = Collections.unmodifiableSet(EnumSet.allOf(Measure.class));
    private static final Set<Measure> REFUSALS = Set.of(Measure.REFUSALS);
    private static final Set<Measure> OTHERS = Set.of(Measure.ERRORS, Measure.LATENCY, Measure.DEGRADED);

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Population usual = Population.of(CALLERS, REQUESTS, random);
    private final Population faultless = usual.faultless();
    private final Population few = Population.of(FEW, REQUESTS, random);
    private final Population giant = usual.withGiant(0.7, 0.3);
    private final Population bots = usual.withBots(0.3, random);
    private final List<List<Scenario>> rows = new ArrayList<>();

    private Scenarios() {}

    /** Returns rows of scenarios that differ by the share only. */
    static List<List<Scenario>> all() {
        Scenarios scenarios = new Scenarios();
        scenarios.better();
        scenarios.atTolerance();
        scenarios.worse();
        scenarios.odd();
        scenarios.biased();
        scenarios.nodes();
        return scenarios.rows;
    }

    private void better() {
        add("no difference", usual, Effect.none(), ALL);
        add("no difference", usual, Effect.none(), OTHERS);
        add("no difference, nothing refused or failed", faultless, Effect.none(), ALL);
        add("no difference, no counts from before", usual, Effect.none(), ALL, Assignment.RANDOM, 0);
        add("refusals +0.3 points", usual, Effect.refusals(0.003), REFUSALS);
        add("refusals -1 point", usual, Effect.refusals(-0.01), REFUSALS);
    }

    private void atTolerance() {
        add("refusals +1 point", usual, Effect.refusals(0.01), REFUSALS);
        add("refusals +1 point, of 0.5 % of the callers", usual, Effect.refusalsOfHeavyCallers(0.01), REFUSALS);
        add("errors +1 point", usual, Effect.errors(0.01), Set.of(Measure.ERRORS));
        add("latency +10 %", usual, Effect.latency(0.1), Set.of(Measure.LATENCY));
        add("degraded +1 point", usual, Effect.degraded(0.01), Set.of(Measure.DEGRADED));
    }

    private void worse() {
        add("refusals +5 points", usual, Effect.refusals(0.05), ALL);
        add("refusals +2 points, of 0.5 % of the callers", usual, Effect.refusalsOfHeavyCallers(0.02), REFUSALS);
        add("refusals +3 points, of 0.5 %, none before", faultless, Effect.refusalsOfHeavyCallers(0.03), REFUSALS);
        add("errors +3 points", usual, Effect.errors(0.03), ALL);
        add("latency +30 %", usual, Effect.latency(0.3), ALL);
        add("degraded +3 points", usual, Effect.degraded(0.03), ALL);
        add(
                "refusals +5 points, refused callers retry",
                usual,
                Effect.refusals(0.05),
                REFUSALS,
                Assignment.RANDOM_WITH_RETRIES,
                BASELINE);
        add(
                "the same, no counts from before",
                usual,
                Effect.refusals(0.05),
                REFUSALS,
                Assignment.RANDOM_WITH_RETRIES,
                0);
        add("errors +3 points, no counts from before", usual, Effect.errors(0.03), ALL, Assignment.RANDOM, 0);
    }

    private void odd() {
        add(
                "all callers of one tenant, refused together",
                usual,
                Effect.none(),
                REFUSALS,
                Assignment.RANDOM_OF_ONE_TENANT,
                BASELINE);
        add("300 callers, no difference", few, Effect.none(), REFUSALS);
        add("300 callers, refusals +5 points", few, Effect.refusals(0.05), REFUSALS);
        add("a caller with 40 % of the requests", giant, Effect.none(), REFUSALS);
        add("the same, refusals +1 point", giant, Effect.refusals(0.01), REFUSALS);
        add("the same, refusals +5 points", giant, Effect.refusals(0.05), REFUSALS);
    }

    private void biased() {
        add("bots, split like all callers", bots, Effect.none(), REFUSALS);
        add("all bots in the control", bots, Effect.none(), REFUSALS, Assignment.HEAVY_IN_CONTROL, BASELINE);
        add(
                "the same, bots refused more: +2 points",
                bots,
                Effect.refusalsOfHeavyCallers(0.02),
                REFUSALS,
                Assignment.HEAVY_IN_CONTROL,
                BASELINE);
        add("all bots on trial", bots, Effect.none(), REFUSALS, Assignment.HEAVY_ON_TRIAL, BASELINE);
        add("all bots on trial, no counts from before", bots, Effect.none(), REFUSALS, Assignment.HEAVY_ON_TRIAL, 0);
        add("callers on trial are named", bots, Effect.none(), REFUSALS, Assignment.NAMED, BASELINE);
    }

    private void nodes() {
        addNodes("nodes: no difference", Effect.none(), ALL);
        addNodes("nodes: errors +1 point", Effect.errors(0.01), Set.of(Measure.ERRORS));
        addNodes("nodes: latency +10 %", Effect.latency(0.1), Set.of(Measure.LATENCY));
        addNodes("nodes: errors +3 points", Effect.errors(0.03), ALL);
        addNodes("nodes: latency +50 %", Effect.latency(0.5), ALL);
    }

    private void add(String name, Population before, UnaryOperator<Population> effect, Set<Measure> compared) {
        add(name, before, effect, compared, Assignment.RANDOM, BASELINE);
    }

    private void add(
            String name,
            Population before,
            UnaryOperator<Population> effect,
            Set<Measure> compared,
            Assignment assignment,
            int baseline) {
        Population after = effect.apply(before);
        rows.add(SHARES.stream()
                .map(share -> new Scenario(name, before, after, compared, share, assignment, baseline))
                .toList());
    }

    private void addNodes(String name, UnaryOperator<Population> effect, Set<Measure> compared) {
        Population before = Population.of(FEW, REQUESTS * (double) CALLERS / FEW, random);
        Population after = effect.apply(before);
        rows.add(SHARES_OF_NODES.stream()
                .map(share -> new Scenario(name, before, after, compared, share, Assignment.NODES, BASELINE))
                .toList());
    }
}
