package io.sluice.benchmarks.verdicts;

import io.sluice.benchmarks.verdicts.Scenario.Assignment;
import io.sluice.center.verdict.Arm;
import io.sluice.center.verdict.CallerChoice;
import io.sluice.center.verdict.Judge;
import io.sluice.center.verdict.Sample;
import io.sluice.center.verdict.Verdict;
import io.sluice.center.verdict.Verdict.Kind;
import io.sluice.center.verdict.VerdictSettings;
import io.sluice.runtime.fleet.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** One simulated trial: callers are split, counts grow, and looks follow each other until a verdict is reached. */
final class Trial {

    private static final int BUCKETS = 32;
    private static final int SHARE_SHIFT = 11;
    private static final int NODES = 30;
    private static final double SPREAD_OF_NODES = 0.1;
    private static final int PARTS = 100;
    private static final double RETRIES = 3;

    private final Scenario scenario;
    private final RandomGenerator random;
    private final Cluster[] trialBefore;
    private final Cluster[] trial;
    private final Cluster[] control;

    /**
     * The end of a trial.
     *
     * @param look the number of the last look
     * @param biased whether it was held because of a bias
     */
    record End(Kind kind, int look, boolean biased) {}

    Trial(Scenario scenario, long seed) {
        this.scenario = scenario;
        this.random = new SplittableRandom(seed);
        boolean nodes = scenario.assignment() == Assignment.NODES;
        int onTrial = (int) Math.round(NODES * scenario.share());
        this.trial = clusters(nodes ? onTrial : BUCKETS);
        this.trialBefore = clusters(trial.length);
        this.control = clusters(nodes ? NODES - onTrial : BUCKETS);
        if (nodes) {
            spreadOverNodes();
        } else {
            splitCallers();
        }
    }

    /** Looks after the given numbers of intervals, until a verdict is reached. */
    End run(VerdictSettings settings, int[] looks) {
        CallerChoice split =
                switch (scenario.assignment()) {
                    case NODES -> new CallerChoice.Nodes();
                    case NAMED -> new CallerChoice.Named();
                    default -> new CallerChoice.Callers(scenario.share());
                };
        Sample before = baseline();
        Arm ofTrial = Arm.none(trial.length);
        Arm ofControl = Arm.none(control.length);
        int passed = 0;
        Verdict verdict = new Verdict(Kind.HOLD, List.of(), "no look");
        for (int look = 1; look <= looks.length; look++) {
            Weather weather = weather();
            int intervals = looks[look - 1] - passed;
            passed = looks[look - 1];
            ofTrial = ofTrial.plus(
                    draw(trial, intervals, weather, scenario.after().degraded()));
            ofControl = ofControl.plus(
                    draw(control, intervals, weather, scenario.before().degraded()));
            verdict = Judge.judge(settings, split, before, new Sample(ofTrial, ofControl), look);
            if (verdict.kind() != Kind.HOLD) {
                return new End(verdict.kind(), look, false);
            }
        }
        return new End(Kind.HOLD, looks.length, verdict.why().startsWith("biased:"));
    }

    private Sample baseline() {
        if (scenario.baseline() == 0) {
            return Sample.NONE;
        }
        Weather weather = weather();
        double degraded = scenario.before().degraded();
        return new Sample(
                draw(trialBefore, scenario.baseline(), weather, degraded),
                draw(control, scenario.baseline(), weather, degraded));
    }

    private Weather weather() {
        return scenario.before().degraded() == 0
                ? Weather.fair()
                : Weather.draw(scenario.assignment() == Assignment.RANDOM_OF_ONE_TENANT, random);
    }

    private static Cluster[] clusters(int size) {
        return Stream.generate(Cluster::new).limit(size).toArray(Cluster[]::new);
    }

    private void splitCallers() {
        Population before = scenario.before();
        Population after = scenario.after();
        for (int i = 0; i < before.rate().length; i++) {
            long hash = random.nextLong();
            int bucket = (int) (hash & (BUCKETS - 1));
            boolean onTrial = onTrial(hash >>> SHARE_SHIFT, before.heavy()[i]);
            add((onTrial ? trialBefore : control)[bucket], before, i);
            if (onTrial) {
                add(trial[bucket], after, i);
            }
        }
    }

    private void add(Cluster cluster, Population version, int caller) {
        double retries = scenario.assignment() == Assignment.RANDOM_WITH_RETRIES ? RETRIES : 0;
        double refused = version.refused()[caller];
        double tries = 1 + retries * refused;
        cluster.add(
                version.rate()[caller] * tries,
                refused * (1 + retries) / tries,
                version.errors()[caller],
                version.latency()[caller]);
    }

    private boolean onTrial(long hash, boolean heavy) {
        boolean drawn = hash < scenario.share() * (1L << (Long.SIZE - SHARE_SHIFT));
        return switch (scenario.assignment()) {
            case HEAVY_IN_CONTROL -> drawn && !heavy;
            case HEAVY_ON_TRIAL, NAMED -> drawn || heavy;
            default -> drawn;
        };
    }

    private void spreadOverNodes() {
        for (int i = 0; i < trial.length; i++) {
            long node = random.nextLong();
            addNode(trialBefore[i], scenario.before(), node);
            addNode(trial[i], scenario.after(), node);
        }
        for (Cluster each : control) {
            addNode(each, scenario.before(), random.nextLong());
        }
    }

    /** A node serves some requests of many callers, and is somewhat slower or faster than others. */
    private static void addNode(Cluster cluster, Population version, long seed) {
        RandomGenerator node = new SplittableRandom(seed);
        double load = version.total() / NODES / PARTS * Population.logNormal(SPREAD_OF_NODES, node);
        double latency = version.meanLatency() * Population.logNormal(SPREAD_OF_NODES, node);
        double refused = version.refusedShare();
        double errors = version.errorShare();
        for (int i = 0; i < PARTS; i++) {
            cluster.add(load, refused, errors, latency);
        }
    }

    private Arm draw(Cluster[] clusters, int intervals, Weather weather, double degraded) {
        List<Tally> tallies = new ArrayList<>(clusters.length);
        for (Cluster cluster : clusters) {
            tallies.add(cluster.draw(intervals, weather, degraded, random));
        }
        return new Arm(tallies);
    }
}
