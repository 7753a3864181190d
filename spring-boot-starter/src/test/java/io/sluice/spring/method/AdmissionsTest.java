package io.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.method.expression.Call;
import io.sluice.spring.method.plan.MethodPlan;
import io.sluice.spring.method.plan.PlannedLimit;
import io.sluice.spring.named.DefaultRules;
import io.sluice.spring.named.MissingRule;
import io.sluice.spring.named.NamedRules;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class AdmissionsTest {

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final LocalEngine counts = new LocalEngine(clock);
    private final List<Charge> given = new ArrayList<>();
    private final AtomicInteger renewed = new AtomicInteger();

    private final Engine engine = new Engine() {
        @Override
        public String name() {
            return counts.name();
        }

        @Override
        public Answer decide(Ask ask) {
            return counts.decide(ask);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            given.addAll(charges);
            return counts.giveBack(charges);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            renewed.incrementAndGet();
            return counts.renew(charge);
        }

        @Override
        public void close() {
            counts.close();
        }
    };

    @Test
    void cancellingBeforeTheTimeSlotReturnsPermitsOnceAndStopsRenewal() {
        RuleDocument document = RuleDocument.parse("test.yaml", """
                rules:
                  - id: both
                    limits:
                      - { algorithm: leaky_bucket, rate: 1/m, capacity: 5 }
                      - { algorithm: concurrency, limit: 5, ttl: 9s }
                """);
        RuleSet rules = new RuleSet(1, ((RuleDocument.Accepted) document).rules());
        Limiter limiter = new Limiter(engine, clock, List.of());
        Evaluator evaluator =
                new Evaluator(() -> rules, limiter, null, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {});
        Admissions admissions = new Admissions(
                evaluator,
                clock,
                PathForm.STRICT,
                null,
                new NamedRules(() -> rules, MissingRule.FAIL, DefaultRules.NONE));
        MethodPlan plan = new MethodPlan(
                List.of(new PlannedLimit(
                        new PlannedLimit.Parts("test", "both", null, null, 1, null, null, null, null, null))),
                MethodPlan.Ending.STAGE,
                null);
        Call call = new Call(new Object[0], Optional::empty);
        assertThat(admissions.admitLater(plan, call)).isCompleted();
        CompletableFuture<HeldPermits> waiting = admissions.admitLater(plan, call);
        assertThat(waiting).isNotDone();

        assertThat(waiting.cancel(false)).isTrue();

        assertThat(given).isNotEmpty().doesNotHaveDuplicates();
        int before = renewed.get();
        clock.advance(Duration.ofSeconds(4));
        assertThat(renewed.get() - before).as("the first, which is still held").isLessThanOrEqualTo(1);
    }
}
