package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Ask.Purpose;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.side.Side;
import io.sluice.rules.side.SideDecisions;
import io.sluice.rules.side.Sides;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A request whose limits are decided by more sides than this process and one store. */
class SidesTest {

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final List<String> asked = new ArrayList<>();
    private final List<Long> dueIn = new ArrayList<>();
    private final Sides sides =
            Sides.of(limiter("process"), limiter("store")).and("ledger", limiter("ledger"), Duration.ofSeconds(5));
    private final EngineRouter router = new EngineRouter(() -> 1);
    private final PermitNonce nonce = new PermitNonce();

    @Test
    void sidesAreAskedInTheirOrderWhateverTheOrderOfTheLimits() {
        SideDecisions decided =
                decide(bound("ledger", "20ms", 10), bound("process", "20ms", 10), bound("store", "20ms", 10));

        assertThat(decided.allowed()).isTrue();
        assertThat(asked).containsExactly("process", "store", "ledger");
    }

    @Test
    void eachSideHasTheShortestDeadlineOfItsOwnRules() {
        decide(
                bound("store", "30ms", 10),
                bound("ledger", "700ms", 10),
                bound("ledger", "600ms", 10),
                bound("process", "1ms", 10));

        assertThat(dueIn).containsExactly(Ask.NO_DEADLINE, 30_000_000L, 600_000_000L);
    }

    @Test
    void aRefusalIsGivenBackAtEverySideThatWasChargedBefore() {
        SideDecisions decided =
                decide(bound("ledger", "20ms", 0), bound("store", "20ms", 10), bound("process", "20ms", 10));

        assertThat(decided.allowed()).isFalse();
        assertThat(decided.all()).hasSize(3);
        assertThat(asked).containsExactly("process", "store", "ledger", "process gives back", "store gives back");
    }

    @Test
    void sidesAfterARefusalAreNotAsked() {
        SideDecisions decided =
                decide(bound("ledger", "20ms", 10), bound("store", "20ms", 0), bound("process", "20ms", 10));

        assertThat(decided.all()).hasSize(2);
        assertThat(asked).containsExactly("process", "store", "process gives back");
    }

    @Test
    void aWaitThatEndsInARefusalIsGivenBackAtEverySide() {
        LimitGroup group = LimitGroup.of(
                List.of(bound("ledger", "20ms", 0), bound("store", "20ms", 10), bound("process", "20ms", 10)));

        SideDecisions decided = router.acquire(group, 1, Duration.ZERO, clock)
                .decisions()
                .toCompletableFuture()
                .join();

        assertThat(decided.allowed()).isFalse();
        assertThat(asked).containsExactly("process", "store", "ledger", "process gives back", "store gives back");
    }

    @Test
    void twoSidesHaveDifferentNames() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sides.and(Side.STORE, limiter("other"), Duration.ofSeconds(1)))
                .withMessage("name: store (expected: a name that no other side has)");
    }

    private SideDecisions decide(BoundLimit... limits) {
        return router.decide(LimitGroup.of(List.of(limits)), Purpose.CHARGE, 1)
                .toCompletableFuture()
                .join();
    }

    private BoundLimit bound(String side, String deadline, long most) {
        Rule rule = ((RuleDocument.Accepted) RuleDocument.parse(
                        "test", "rules: [{ id: a, deadline: " + deadline + ", limits: [{ rate: 1/s }] }]"))
                .rules()
                .get(0);
        Side own = sides.find(side).orElseThrow();
        Limit limit = Limit.named(side + deadline).fixedWindow(most, Duration.ofMinutes(1));
        Demand demand = nonce.demand(
                limit, "", 1, 0, BoundLimit.label(rule, rule.limits().get(0), own), Demand.UNGUARDED, LeasePolicy.NONE);
        return new BoundLimit(rule, rule.limits().get(0), limit, false, 1, 0, demand, own, false);
    }

    private Limiter limiter(String name) {
        return new Limiter(new Noted(name, new LocalEngine(clock)), clock, List.of());
    }

    /** Notes what it is asked. */
    private final class Noted implements Engine {

        private final String name;
        private final Engine engine;

        Noted(String name, Engine engine) {
            this.name = name;
            this.engine = engine;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Answer decide(Ask ask) {
            asked.add(name);
            dueIn.add(
                    ask.deadlineNanos() == Ask.NO_DEADLINE ? Ask.NO_DEADLINE : ask.deadlineNanos() - clock.nanoTime());
            return engine.decide(ask);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            asked.add(name + " gives back");
            return engine.giveBack(charges);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return engine.renew(charge);
        }

        @Override
        public void close() {
            engine.close();
        }
    }
}
