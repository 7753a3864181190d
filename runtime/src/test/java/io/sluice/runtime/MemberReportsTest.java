package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.spi.Engine;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.PublishedRules;
import io.sluice.rules.source.RefusedSet;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.StandInRuleSource;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.fleet.LimiterHealth;
import io.sluice.runtime.fleet.LimiterHealth.OnFailure;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.NodeReport.Breaker;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.NodeReport.Mode;
import io.sluice.runtime.fleet.NodeReport.Refusal;
import io.sluice.runtime.fleet.StoreHealth;
import io.sluice.runtime.fleet.Tally;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class MemberReportsTest {

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final PublishedRules published = new PublishedRules();
    private final Tallies tallies = new Tallies();
    private final RuleSource source = new PublishedSource();

    @Test
    void saysThatThereAreNoRulesYet() {
        NodeReport report = reports(source).apply(7);

        assertThat(report.rules().version()).isZero();
        assertThat(report.rules().digest()).isEmpty();
        assertThat(report.rules().appliedMillis()).isZero();
        assertThat(report.identity().startedMillis()).isEqualTo(1_790_000_000_000L);
        assertThat(report.rules().refused()).isEmpty();
        assertThat(report.health().mode()).isEqualTo(Mode.LOCAL);
        assertThat(report.health().breaker()).isEqualTo(Breaker.NONE);
        assertThat(report.beat()).isEqualTo(7);
        assertThat(report.health().findings()).containsExactly("a finding");
        assertThat(report.identity().program()).isNotEmpty();
    }

    @Test
    void saysWhichRulesAreInForceSinceWhen() {
        published.publish(set(3));
        MemberReports reports = reports(source);
        assertThat(reports.apply(0).rules().version()).isEqualTo(3);
        assertThat(reports.apply(0).rules().appliedMillis()).isEqualTo(1_790_000_000_000L);

        clock.advance(Duration.ofSeconds(5));
        published.publish(set(4));
        clock.advance(Duration.ofSeconds(5));

        NodeReport report = reports.apply(1);
        assertThat(report.rules().version()).isEqualTo(4);
        assertThat(report.rules().digest()).isEqualTo(set(4).digest());
        assertThat(report.rules().appliedMillis()).isEqualTo(1_790_000_005_000L);
    }

    @Test
    void saysWhichRulesItRefusedUntilOthersAreInForce() {
        MemberReports reports = reports(source);
        published.publish(set(3));
        published.refuse(new RefusedSet(
                Optional.of(set(4).stamp()), List.of(DocumentError.of("f", "a"), DocumentError.of("f", "b"))));

        assertThat(reports.apply(0).rules().refused())
                .contains(new Refusal(4, set(4).digest(), List.of("f: a", "f: b")));
        assertThat(reports.apply(0).rules().version()).isEqualTo(3);

        published.refuse(List.of(DocumentError.of("f", "c")));
        assertThat(reports.apply(0).rules().refused()).contains(new Refusal(0, "", List.of("f: c")));

        published.publish(set(5));
        assertThat(reports.apply(0).rules().refused()).isEmpty();
    }

    @Test
    void rulesThatStandInAreNone() {
        RuleSource standIn = StandInRuleSource.over(source, set(9));

        assertThat(reports(standIn).apply(0).rules().version()).isZero();
        assertThat(reports(standIn).apply(0).rules().digest()).isEmpty();
    }

    @Test
    void theTimeIsThatOfTheVersionWhateverItsAdjustmentsAre() {
        published.publish(set(3));
        MemberReports reports = reports(source);
        long since = reports.apply(0).rules().appliedMillis();
        clock.advance(Duration.ofSeconds(5));
        published.amend(set(3).adjusted(7, set(3).rules(), Map.of()));
        assertThat(reports.apply(1).rules().appliedMillis()).isEqualTo(since);
        assertThat(reports.apply(1).rules().adjustments()).isEqualTo(7);
        published.publish(set(4));
        assertThat(reports.apply(2).rules().appliedMillis()).isEqualTo(since + 5_000);
    }

    @Test
    void carriesWhatWasCounted() {
        MemberReports reports = reports(source);
        published.publish(set(3).trying(new CallerTrial(set(4), CallerSplit.share("user", "0".repeat(16), 5))));
        tallies.watch(source);
        tallies.answered(null, 200, 1_000);
        assertThat(reports.apply(0).data().tally()).isEqualTo(new Tally(0, 0, 0, 1, 0, 1));
        assertThat(reports.apply(0).data().trial().orElseThrow().version()).isEqualTo(4);
        assertThat(reports.apply(0).data().trial().orElseThrow().digest()).isEqualTo(set(4).digest());
    }

    @Test
    void saysWhatItsRulesDoWithoutTheStore() {
        MemberReports reports = reports(source);
        assertThat(health(reports).onFailure()).isEqualTo(OnFailure.NONE);
        RuleDocument.Accepted document = (RuleDocument.Accepted) RuleDocument.parse("test", """
                rules:
                  - { id: a, on_failure: open, limits: [{ rate: 1 }] }
                  - { id: b, on_failure: open, limits: [{ rate: 1 }] }
                  - { id: c, on_failure: closed, limits: [{ rate: 1 }] }
                  - { id: d, on_failure: closed, mode: local, limits: [{ rate: 1 }] }
                  - { id: e, limits: [{ rate: 1 }] }
                  - { id: f, on_failure: closed, enabled: false, limits: [{ rate: 1 }] }
                """);

        published.publish(new RuleSet(1, document.rules()));

        assertThat(health(reports).onFailure()).isEqualTo(new OnFailure(2, 2, 1));
    }

    @Test
    void withoutAStoreItDecidesAloneSinceItsStart() {
        MemberReports reports = reports(source);
        clock.advance(Duration.ofSeconds(5));

        assertThat(health(reports).modeSinceMillis()).isEqualTo(1_790_000_000_000L);
        assertThat(health(reports).store()).isEqualTo(StoreHealth.ofMemory(1_790_000_005_000L));
    }

    @Test
    void saysSinceWhenItDecidesWithAndWithoutItsStore() {
        SwitchedStore store = new SwitchedStore();
        StoreCalls calls = new StoreCalls(clock, StoreListener.NONE);
        MemberReports reports = reports(source, new StoreWatch(store, clock, calls));
        assertThat(health(reports).modeSinceMillis()).isEqualTo(1_790_000_000_000L);
        assertThat(health(reports).store().kind()).isEqualTo(StoreHealth.Kind.REDIS);

        clock.advance(Duration.ofSeconds(5));
        store.awaySinceMicros = clock.epochMicros();
        clock.advance(Duration.ofMillis(700));
        assertThat(reports.apply(1).health().mode()).isEqualTo(Mode.LOCAL);
        assertThat(health(reports).modeSinceMillis()).isEqualTo(1_790_000_005_000L);
        clock.advance(Duration.ofMinutes(9));
        assertThat(health(reports).modeSinceMillis()).isEqualTo(1_790_000_005_000L);

        store.awaySinceMicros = 0;
        assertThat(reports.apply(2).health().mode()).isEqualTo(Mode.REMOTE);
        assertThat(health(reports).modeSinceMillis()).isEqualTo(1_790_000_545_700L);
    }

    @Test
    void aStoreThatWasNeverThereIsMissingSinceTheStart() {
        SwitchedStore store = new SwitchedStore();
        store.awaySinceMicros = 1;
        MemberReports reports = reports(source, new StoreWatch(store, clock));
        clock.advance(Duration.ofSeconds(3));

        assertThat(health(reports).modeSinceMillis()).isEqualTo(1_790_000_000_000L);
    }

    private static LimiterHealth health(MemberReports reports) {
        return reports.apply(0).health().limiter().orElseThrow();
    }

    /** A store that decides nothing and is away as long as a test says. */
    private static final class SwitchedStore implements Store {

        private long awaySinceMicros;

        @Override
        public Engine engine() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isReady() {
            return awaySinceMicros == 0;
        }

        @Override
        public CompletionStage<Void> ready() {
            throw new UnsupportedOperationException();
        }

        @Override
        public StoreState state() {
            return new StoreState(isReady(), isReady() ? "" : "redis-disconnected", "", awaySinceMicros);
        }

        @Override
        public List<String> findings() {
            return List.of();
        }
    }

    private MemberReports reports(RuleSource rules) {
        return reports(rules, new StoreWatch(null, clock));
    }

    private MemberReports reports(RuleSource rules, StoreWatch watch) {
        return MemberReports.of(
                "n",
                Kind.NODE,
                "shop:8082",
                rules,
                source::refusedSet,
                watch,
                () -> List.of("a finding"),
                true,
                tallies,
                clock);
    }

    private static RuleSet set(int version) {
        RuleDocument.Accepted document = (RuleDocument.Accepted)
                RuleDocument.parse("test", "rules: [{ id: a, limits: [{ rate: " + version + " }] }]");
        return new RuleSet(version, document.rules());
    }

    private final class PublishedSource implements RuleSource {

        @Override
        public RuleSet latest() {
            return published.latest();
        }

        @Override
        public CompletionStage<RuleSet> first() {
            return published.first();
        }

        @Override
        public List<DocumentError> refused() {
            return published.refused();
        }

        @Override
        public Optional<RefusedSet> refusedSet() {
            return published.refusedSet();
        }

        @Override
        public void listen(RuleListener listener) {
            published.listen(listener);
        }

        @Override
        public void close() {}
    }
}
