package io.sluice.rules.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.Caller;
import io.sluice.rules.adjust.CallerOverride;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SilencedLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EffectiveRulesTest {

    @RegisterExtension
    static final SilencedLog PROVOKED = SilencedLog.of(EffectiveRules.class);

    private static final CallerSplit SPLIT = CallerSplit.share("user", "0123456789abcdef", 5);

    private final ManualClock clock = QuietClock.at(0);
    private final PublishedRules rules = new PublishedRules();
    private final EffectiveRules effective = new EffectiveRules(rules, clock, Runnable::run);
    private final List<RuleSet> seen = new ArrayList<>();

    @BeforeEach
    void listen() {
        rules.listen(new RuleListener() {
            @Override
            public void changed(RuleSet set) {
                seen.add(set);
            }

            @Override
            public void refused(List<DocumentError> errors) {
                // Refusals are of no interest here.
            }
        });
    }

    @Test
    void publishesOneSetForEachChangeAndNoneWithoutOne() {
        RuleSet main = set(12, "orders");
        effective.put(main, Optional.empty(), Adjustments.NONE);
        assertThat(rules.latest()).isSameAs(main);
        effective.put(main, Optional.empty(), Adjustments.NONE);
        assertThat(seen).hasSize(1);

        CallerTrial trial = new CallerTrial(set(13, "orders"), SPLIT);
        effective.put(main, Optional.of(trial), Adjustments.NONE);
        assertThat(rules.latest().trial()).isEqualTo(trial);
        assertThat(rules.latest().stamp()).isEqualTo(main.stamp());
        effective.put(main, Optional.of(new CallerTrial(trial.rules(), SPLIT)), Adjustments.NONE);
        assertThat(seen).hasSize(2);

        effective.put(main, Optional.of(new CallerTrial(trial.rules(), SPLIT.widened(50))), Adjustments.NONE);
        assertThat(rules.latest().trial().split().sharePercent()).isEqualTo(50);
        effective.put(main, Optional.empty(), Adjustments.NONE);
        assertThat(rules.latest().trial()).isNull();
        assertThat(seen).hasSize(4);
    }

    @Test
    void adjustsBothSidesOfATrial() {
        effective.put(
                set(12, "orders"),
                Optional.of(new CallerTrial(set(13, "orders"), SPLIT)),
                new Adjustments(7, List.of(), List.of(shadow("orders", 60))));

        RuleSet now = rules.latest();
        assertThat(now.adjustments()).isEqualTo(7);
        assertThat(isShadow(now)).isTrue();
        assertThat(isShadow(now.trial().rules())).isTrue();
        assertThat(now.stamp()).isEqualTo(set(12, "orders").stamp());
        assertThat(effective.problems()).isEmpty();
    }

    @Test
    void aSwitchExpiresByItself() {
        effective.put(
                set(12, "orders", "login"),
                Optional.empty(),
                new Adjustments(7, List.of(), List.of(shadow("orders", 60), shadow("login", 90))));
        assertThat(isShadow(rules.latest())).isTrue();

        clock.advance(Duration.ofSeconds(59));
        assertThat(isShadow(rules.latest())).isTrue();
        clock.advance(Duration.ofSeconds(1));
        assertThat(isShadow(rules.latest())).isFalse();
        assertThat(rules.latest().rule("login").orElseThrow().shadow()).isTrue();
        clock.advance(Duration.ofSeconds(30));
        assertThat(rules.latest().rule("login").orElseThrow().shadow()).isFalse();
        assertThat(rules.latest().adjustments()).isEqualTo(7);
        assertThat(seen).hasSize(3);
    }

    @Test
    void looksAgainAfterAJumpOfTheClock() {
        effective.put(
                set(12, "orders"), Optional.empty(), new Adjustments(7, List.of(), List.of(shadow("orders", 86_400))));
        clock.stepWall(Duration.ofDays(2));
        effective.refresh();
        assertThat(isShadow(rules.latest())).isFalse();
        clock.stepWall(Duration.ofDays(-2));
        // Without any look it is noticed within a minute.
        clock.advance(Duration.ofMinutes(1));
        assertThat(isShadow(rules.latest())).isTrue();
    }

    @Test
    void anOverrideThatExpiresIsNotComposedAnew() {
        effective.put(
                set(12, "orders"), Optional.empty(), new Adjustments(7, List.of(override("orders", 60)), List.of()));
        assertThat(rules.latest().rule("orders").orElseThrow().overrides()).hasSize(1);
        clock.advance(Duration.ofMinutes(5));
        assertThat(seen).hasSize(1);
    }

    @Test
    void namesAdjustmentsThatFitNeitherSide() {
        Adjustments adjustments = new Adjustments(
                7, List.of(override("orders", 60), override("search", 60)), List.of(shadow("login", 60)));
        effective.put(set(12, "orders"), Optional.empty(), adjustments);
        assertThat(effective.problems())
                .containsExactly(
                        "off-login: rule: login (expected: a rule in force)",
                        "more-search: rule: search (expected: a rule in force)");
        assertThat(rules.latest().rule("orders").orElseThrow().overrides()).hasSize(1);

        effective.put(set(12, "orders"), Optional.of(new CallerTrial(set(13, "orders", "search"), SPLIT)), adjustments);
        assertThat(effective.problems()).containsExactly("off-login: rule: login (expected: a rule in force)");
        effective.put(set(14, "orders", "search", "login"), Optional.empty(), adjustments);
        assertThat(effective.problems()).isEmpty();
    }

    @Test
    void onlyAnotherReleaseClearsARefusal() {
        RuleSet main = set(12, "orders");
        effective.put(main, Optional.empty(), Adjustments.NONE);
        rules.refuse(List.of(DocumentError.of("test", "bad")));
        effective.put(main, Optional.empty(), new Adjustments(1, List.of(), List.of(shadow("orders", 60))));
        clock.advance(Duration.ofMinutes(2));
        assertThat(isShadow(rules.latest())).isFalse();
        assertThat(rules.refused()).hasSize(1);
        effective.put(set(13, "orders"), Optional.empty(), Adjustments.NONE);
        assertThat(rules.refused()).isEmpty();
    }

    @Test
    void isNeverAMixtureUnderConcurrency() throws Exception {
        List<RuleSet> mains = List.of(set(2, "orders"), set(4, "orders"), set(6, "orders"));
        List<RuleSet> trials = List.of(set(3, "orders"), set(5, "orders"), set(7, "orders"));
        Adjustments off = new Adjustments(1, List.of(), List.of(shadow("orders", 1_000_000)));
        Adjustments on = new Adjustments(2, List.of(), List.of());
        effective.put(mains.get(0), Optional.empty(), Adjustments.NONE);
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < 2; thread++) {
            all.add(threads.submit(() -> {
                while (!over.get()) {
                    RuleSet now = rules.latest();
                    CallerTrial trial = now.trial();
                    assertThat(isShadow(now)).isEqualTo(now.adjustments() == 1);
                    if (trial != null) {
                        assertThat(trial.rules().version()).isEqualTo(now.version() + 1);
                        assertThat(trial.rules().adjustments()).isEqualTo(now.adjustments());
                        assertThat(isShadow(trial.rules())).isEqualTo(isShadow(now));
                    }
                }
            }));
            all.add(threads.submit(() -> {
                while (!over.get()) {
                    effective.refresh();
                }
            }));
        }
        for (int i = 0; i < 500; i++) {
            effective.put(
                    mains.get(i % 3),
                    i % 2 == 0 ? Optional.of(new CallerTrial(trials.get(i % 3), SPLIT)) : Optional.empty(),
                    i % 5 < 2 ? off : on);
        }
        over.set(true);
        for (Future<?> each : all) {
            each.get(5, TimeUnit.MINUTES);
        }
        threads.shutdown();
    }

    private static boolean isShadow(RuleSet set) {
        return set.rule("orders").orElseThrow().shadow();
    }

    private static ShadowSwitch shadow(String rule, long untilSecond) {
        return new ShadowSwitch("off-" + rule, Optional.of(rule), Instant.ofEpochSecond(untilSecond));
    }

    private static CallerOverride override(String rule, long untilSecond) {
        return new CallerOverride(
                "more-" + rule,
                rule,
                rule + ".0",
                new Caller.ByValue("user", "u-17"),
                "{\"rate\":\"500/s\"}",
                Instant.ofEpochSecond(untilSecond));
    }

    private static RuleSet set(long version, String... ids) {
        StringBuilder text = new StringBuilder("rules:\n");
        for (String id : ids) {
            text.append("  - { id: ")
                    .append(id)
                    .append(", limits: [{ rate: ")
                    .append(version)
                    .append(", by: user }] }\n");
        }
        return new RuleSet(version, ((RuleDocument.Accepted) RuleDocument.parse("test", text.toString())).rules());
    }
}
