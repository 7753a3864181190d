package io.sluice.envoy.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.ManualClock;
import io.sluice.envoy.decide.JointRuling.PartRuling;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Several requests as one decision. */
class JointEvaluatorTest {

    private static final String RULES = """
            rules:
              - { id: user, limits: [{ by: user, absent: skip, algorithm: fixed_window, limit: 3, window: 1h }] }
              - { id: item, limits: [{ by: item, absent: skip, algorithm: fixed_window, limit: 5, window: 1h }] }
              - { id: host, mode: local, limits: [{ by: host, absent: skip, algorithm: fixed_window, limit: 2, window: 1h }] }
              - { id: none, match: { bad: "yes" }, action: deny }
              - { id: free, match: { good: "yes" }, action: exempt }
            """;

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final List<Ruling.Settled> told = new ArrayList<>();
    private final RuleSet set = new RuleSet(3, ((RuleDocument.Accepted) RuleDocument.parse("t", RULES)).rules());

    @Test
    void ifOnePartRefusesNoneIsCharged() {
        Evaluator evaluator = evaluator(new LocalEngine(clock));

        assertThat(allowed(evaluator, part(3, "user", "u"), part(1, "item", "i")))
                .containsExactly(true, true);
        assertThat(allowed(evaluator, part(1, "user", "u"), part(4, "item", "i")))
                .containsExactly(false, true);
        assertThat(allowed(evaluator, part(4, "item", "i"))).containsExactly(true);
        assertThat(told).extracting(Ruling.Settled::allowed).containsExactly(true, false, true);
        assertThat(told.get(1).reported().id()).isEqualTo("user.0");
        assertThat(told.get(1).ruleVersion()).isEqualTo(3);
    }

    @Test
    void returnsLocalChargesWhenTheStoreRefuses() {
        Evaluator evaluator = evaluator(new LocalEngine(clock));

        assertThat(allowed(evaluator, part(2, "host", "h"), part(4, "user", "u")))
                .containsExactly(true, false);
        assertThat(allowed(evaluator, part(2, "host", "h"), part(3, "user", "u")))
                .containsExactly(true, true);
        assertThat(allowed(evaluator, part(1, "host", "h"), part(1, "item", "i")))
                .containsExactly(false, true);
        assertThat(allowed(evaluator, part(5, "item", "i"))).containsExactly(true);
    }

    @Test
    void denyAndExemptApplyToOnePartOnly() {
        Evaluator evaluator = evaluator(new LocalEngine(clock));

        assertThat(allowed(evaluator, part(1, "bad", "yes"), part(3, "user", "u")))
                .containsExactly(false, true);
        assertThat(told.get(0).action()).isEqualTo(Action.DENY);
        assertThat(allowed(evaluator, part(9, "good", "yes", "user", "u"), part(3, "user", "u")))
                .containsExactly(true, true);
        assertThat(allowed(evaluator, part(1, "user", "u"))).containsExactly(false);
    }

    @Test
    void withoutAnEngineClosedRefusesAllAndOpenNone() {
        for (String policy : List.of("closed", "open")) {
            RuleSet rules = new RuleSet(
                    1,
                    ((RuleDocument.Accepted) RuleDocument.parse(
                                    "t",
                                    "rules: [{ id: a, on_failure: " + policy
                                            + ", limits: [{ by: user, limit: 9, window: 1m }] }]"))
                            .rules());
            Evaluator evaluator = evaluator(new Broken());
            JointRuling ruling = new JointEvaluator(evaluator.joint())
                    .evaluate(rules, List.of(part(1, "user", "u"), part(1, "user", "v")))
                    .toCompletableFuture()
                    .join();

            assertThat(ruling.whole().degraded()).isEqualTo("broken");
            assertThat(ruling.parts()).extracting(PartRuling::allowed).containsOnly(policy.equals("open"));
            assertThat(ruling.whole().allowed()).isEqualTo(policy.equals("open"));
        }
    }

    @Test
    void neverAdmitsMoreThanTheLimitsHoldAndRefusesOnlyBeyondThem() {
        SeededRandom random = SeededRandom.of("neverAdmitsMoreThanTheLimitsHoldAndRefusesOnlyBeyondThem");
        for (int round = 0; round < 200; round++) {
            Evaluator evaluator = evaluator(new LocalEngine(clock));
            long[] left = {3, 3, 5, 5, 2, 2};
            for (int i = 0; i < 12; i++) {
                List<JointPart> parts = new ArrayList<>();
                long[] wanted = new long[left.length];
                for (int n = 1 + random.nextInt(4); n > 0; n--) {
                    parts.add(randomPart(random, wanted));
                }
                boolean fits = true;
                for (int count = 0; count < left.length; count++) {
                    fits &= wanted[count] <= left[count];
                }
                JointRuling ruling = together(evaluator, parts.toArray(JointPart[]::new));

                assertThat(ruling.whole().allowed()).isEqualTo(fits);
                assertThat(ruling.parts().stream().allMatch(PartRuling::allowed))
                        .isEqualTo(fits);
                for (int count = 0; fits && count < left.length; count++) {
                    left[count] -= wanted[count];
                }
            }
        }
    }

    /** Limits of this process are decided on a shorter way than those of a store. */
    @Test
    void decidesTheSameInThisProcessAsInAStore() {
        SeededRandom random = SeededRandom.of("decidesTheSameInThisProcessAsInAStore");
        for (int round = 0; round < 300; round++) {
            Evaluator inStore = evaluator(new LocalEngine(clock));
            Evaluator here = evaluator();
            for (int i = 0; i < 8; i++) {
                List<JointPart> parts = new ArrayList<>();
                for (int n = random.nextInt(8) == 0 ? 10 : 1 + random.nextInt(3); n > 0; n--) {
                    parts.add(part(
                            List.of(0L, 1L, 1L, 1L, 2L, 4L, Limit.MAX_PERMITS + 1)
                                    .get(random.nextInt(7)),
                            List.of("user", "user", "other", "bad", "good").get(random.nextInt(5)),
                            random.nextInt(3) == 0 ? "yes" : "no",
                            random.nextBoolean() ? "item" : "else",
                            "v" + random.nextInt(2)));
                }
                JointRuling expected = together(inStore, parts.toArray(JointPart[]::new));
                JointRuling ruling = together(here, parts.toArray(JointPart[]::new));

                assertThat(ruling.parts()).isEqualTo(expected.parts());
                assertThat(ruling.atMicros()).isEqualTo(expected.atMicros());
                assertThat(ruling.whole().allowed()).isEqualTo(expected.whole().allowed());
                assertThat(ruling.whole().rule()).isEqualTo(expected.whole().rule());
                assertThat(ruling.whole().reported()).isEqualTo(expected.whole().reported());
                assertThat(ruling.whole().retryAfter())
                        .isEqualTo(expected.whole().retryAfter());
                assertThat(ruling.whole().matched()).isEqualTo(expected.whole().matched());
            }
        }
        assertThat(told).extracting(Ruling.Settled::allowed).contains(true, false);
    }

    @Test
    void aRulingHasThePlaceOfItsOnlyCallerInATrial() {
        CallerSplit split = CallerSplit.named("user", "0123456789abcdef", Set.of("u"));
        Evaluator evaluator = evaluator();
        RuleSet trying = set.trying(new CallerTrial(set.numbered(4), split));
        together(evaluator, trying, part(1, "user", "u"), part(1, "item", "i"));
        together(evaluator, trying, part(1, "user", "v"));
        together(evaluator, trying, part(1, "user", "u"), part(1, "user", "v"));
        together(evaluator, trying, part(1, "item", "i"));

        assertThat(told)
                .extracting(Ruling.Settled::place)
                .containsExactly(split.place("u", 4), split.place("v", 4), null, null);
    }

    private static JointPart randomPart(Random random, long[] wanted) {
        int count = random.nextInt(wanted.length);
        long permits = 1L + random.nextInt(3);
        wanted[count] += permits;
        return part(permits, List.of("user", "item", "host").get(count / 2), "v" + count % 2);
    }

    private Evaluator evaluator() {
        return evaluator((Limiter) null);
    }

    private Evaluator evaluator(Engine store) {
        return evaluator(new Limiter(new Named(store), clock, List.of()));
    }

    private Evaluator evaluator(@Nullable Limiter store) {
        return new Evaluator(
                () -> set,
                new Limiter(new LocalEngine(clock), clock, List.of()),
                store,
                KeySettings.ofThisProcess(),
                clock,
                (ruling, nanos) -> told.add(ruling));
    }

    private List<Boolean> allowed(Evaluator evaluator, JointPart... parts) {
        return together(evaluator, parts).parts().stream()
                .map(PartRuling::allowed)
                .toList();
    }

    private JointRuling together(Evaluator evaluator, JointPart... parts) {
        return together(evaluator, set, parts);
    }

    private static JointRuling together(Evaluator evaluator, RuleSet rules, JointPart... parts) {
        return new JointEvaluator(evaluator.joint())
                .evaluate(rules, List.of(parts))
                .toCompletableFuture()
                .join();
    }

    private static JointPart part(long permits, String name, String value) {
        return new JointPart(Attributes.of(Map.of(name, value)), permits, List.of());
    }

    private static JointPart part(long permits, String name, String value, String other, String otherValue) {
        return new JointPart(Attributes.of(Map.of(name, value, other, otherValue)), permits, List.of());
    }

    /** A fake store that behaves like the engine of this process. */
    private static final class Named extends ForwardingEngine {

        Named(Engine engine) {
            super(engine);
        }

        @Override
        public String name() {
            return "store";
        }
    }

    private static final class Broken implements Engine {

        @Override
        public String name() {
            return "broken";
        }

        @Override
        public Answer decide(Ask ask) {
            return new EngineFailure("broken", false);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public void close() {}
    }
}
