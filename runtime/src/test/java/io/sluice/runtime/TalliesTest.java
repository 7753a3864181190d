package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.side.SideDecisions;
import io.sluice.rules.snapshot.CallerPlace;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.PublishedRules;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.fleet.Tally;
import io.sluice.runtime.fleet.TrialReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TalliesTest {

    private static final CallerSplit SPLIT = CallerSplit.share("user", "0123456789abcdef", 5);

    private final Tallies tallies = new Tallies();

    @Test
    void countsDecisionsAndAnswers() {
        tallies.ruled(ruling(true, 1, null, null), 1);
        tallies.ruled(ruling(false, 3, null, null), 1);
        tallies.ruled(ruling(true, 1, "redis-timeout", null), 1);
        tallies.answered(ruling(true, 1, null, null), 200, 2_000);
        tallies.answered(ruling(true, 1, null, null), 499, 1_000);
        tallies.answered(ruling(true, 1, null, null), 500, 3_000);
        tallies.answered(null, 0, 0);

        assertThat(tallies.all()).isEqualTo(new Tally(3, 1, 1, 4, 2, 6));
        assertThat(tallies.trial()).isEmpty();
    }

    @Test
    void countsNeitherLooksNorRequestsThatPassedEarly() {
        tallies.ruled(ruling(false, 0, null, null), 1);
        tallies.passedEarly(ruling(true, 1, null, null), 1);

        assertThat(tallies.all()).isEqualTo(Tally.NONE);
    }

    @Test
    void countsEachSideAndGroupOfTheTrialInForce() {
        tallies.watch(RuleSource.fixed(trying(13)));
        tallies.ruled(ruling(true, 1, null, new CallerPlace(13, true, 0)), 1);
        tallies.ruled(ruling(false, 1, null, new CallerPlace(13, true, 31)), 1);
        tallies.ruled(ruling(true, 1, null, new CallerPlace(13, false, 31)), 1);
        tallies.answered(ruling(true, 1, null, new CallerPlace(13, false, 31)), 503, 5_000);
        // A decision of the trial before, and one of a caller that cannot be in a trial.
        tallies.ruled(ruling(true, 1, null, new CallerPlace(12, true, 0)), 1);
        tallies.ruled(ruling(true, 1, null, null), 1);

        TrialReport report = tallies.trial().orElseThrow();
        assertThat(report.version()).isEqualTo(13);
        assertThat(report.digest()).isEqualTo(set(13).digest());
        assertThat(report.trial().get(0)).isEqualTo(new Tally(1, 0, 0, 0, 0, 0));
        assertThat(report.trial().get(31)).isEqualTo(new Tally(1, 1, 0, 0, 0, 0));
        assertThat(report.control().get(31)).isEqualTo(new Tally(1, 0, 0, 1, 1, 5));
        assertThat(report.trial().subList(1, 31)).containsOnly(Tally.NONE);
        assertThat(tallies.all().requests()).isEqualTo(5);
    }

    @Test
    void eachTrialStartsAtZeroAndContinuesIfItComesBack() {
        Changing rules = new Changing();
        tallies.watch(rules);
        rules.put(trying(13));
        tallies.ruled(ruling(true, 1, null, new CallerPlace(13, true, 0)), 1);
        rules.put(set(12));
        assertThat(tallies.trial()).isEmpty();
        rules.put(trying(13));
        assertThat(tallies.trial().orElseThrow().trial().get(0).requests()).isEqualTo(1);
        rules.put(trying(14));
        assertThat(tallies.trial().orElseThrow().trial()).containsOnly(Tally.NONE);
        assertThat(tallies.trial().orElseThrow().version()).isEqualTo(14);
    }

    @Test
    void losesNoneOfManyThreads() throws Exception {
        tallies.watch(RuleSource.fixed(trying(13)));
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            int number = thread;
            all.add(threads.submit(() -> {
                for (int i = 0; i < 10_000; i++) {
                    Ruling.Settled ruling = ruling(i % 4 != 0, 1, null, new CallerPlace(13, number % 2 == 0, i % 32));
                    tallies.ruled(ruling, 1);
                    tallies.answered(ruling, 200, 1_000);
                    Tally now = tallies.all();
                    assertThat(now.refused()).isLessThanOrEqualTo(now.requests());
                }
            }));
        }
        for (Future<?> each : all) {
            each.get(5, TimeUnit.MINUTES);
        }
        threads.shutdown();
        assertThat(tallies.all()).isEqualTo(new Tally(80_000, 20_000, 0, 80_000, 0, 80_000));
        TrialReport report = tallies.trial().orElseThrow();
        assertThat(report.trial().stream().mapToLong(Tally::requests).sum()).isEqualTo(40_000);
        assertThat(report.control().stream().mapToLong(Tally::refused).sum()).isEqualTo(10_000);
    }

    private static Ruling.Settled ruling(
            boolean allowed, long permits, @Nullable String degraded, @Nullable CallerPlace place) {
        return new Ruling.Settled(
                allowed,
                Action.LIMIT,
                null,
                null,
                null,
                Optional.of(Duration.ZERO),
                Duration.ZERO,
                "local",
                degraded,
                12,
                List.of(),
                List.of(),
                permits,
                SideDecisions.NONE,
                null,
                place,
                List.of(),
                false,
                null);
    }

    private static RuleSet trying(long version) {
        return set(12).trying(new CallerTrial(set(version), SPLIT));
    }

    private static RuleSet set(long version) {
        return new RuleSet(
                version,
                ((RuleDocument.Accepted)
                                RuleDocument.parse("test", "rules: [{ id: a, limits: [{ rate: " + version + " }] }]"))
                        .rules());
    }

    /** A source whose set a test changes. */
    private static final class Changing implements RuleSource {
        private final PublishedRules rules = new PublishedRules();

        void put(RuleSet set) {
            rules.publish(set);
        }

        @Override
        public RuleSet latest() {
            return rules.latest();
        }

        @Override
        public CompletionStage<RuleSet> first() {
            return rules.first();
        }

        @Override
        public List<DocumentError> refused() {
            return rules.refused();
        }

        @Override
        public void listen(RuleListener listener) {
            rules.listen(listener);
        }

        @Override
        public void close() {}
    }
}
