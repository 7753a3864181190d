package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Ask.Purpose;
import io.sluice.core.time.Clock;
import io.sluice.rules.model.Handling;
import io.sluice.rules.side.Side;
import io.sluice.rules.side.SideDecisions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the sides that decide the limits of a request, one after the other, the cheapest first. If one refuses, the sides before it give
 * back what they charged. Thread-safe.
 */
final class EngineRouter {

    private final IntSupplier liveNodes;

    EngineRouter(IntSupplier liveNodes) {
        this.liveNodes = liveNodes;
    }

    /**
     * Decides a request in this process if no other side is involved and no limit is in shadow, which is the case for most requests in a
     * process without a store. The answer is immediate. Returns null for any other request.
     */
    @Nullable
    SideDecisions decideHere(MatchedRequest matched) {
        return matched.shadows().isEmpty()
                        && matched.permits() > 0
                        && matched.usage().limits().isEmpty()
                ? chargeHere(matched.live(), matched.set().version())
                : null;
    }

    /**
     * Charges limits in this process if no other side is involved and the request has all attributes that they count by. The answer is
     * immediate. Returns null for any other group, and then charges nothing.
     */
    @Nullable
    SideDecisions chargeHere(LimitGroup group, long version) {
        SideTerms terms = group.terms();
        return terms == null || terms.side().remote() || terms.next() != null || group.lacking() != null
                ? null
                : terms.side().decideNow(ask(group, terms, Purpose.CHARGE, version));
    }

    /** Returns one decision per side involved. There are none if no limit is left to ask. */
    CompletionStage<SideDecisions> decide(LimitGroup group, Purpose purpose, long version) {
        return decide(group, next(group, group.terms()), purpose, version, SideDecisions.NONE);
    }

    private CompletionStage<SideDecisions> decide(
            LimitGroup group, @Nullable SideTerms terms, Purpose purpose, long version, SideDecisions before) {
        if (terms == null) {
            return CompletableFuture.completedFuture(before);
        }
        Side side = terms.side();
        CompletionStage<Decision> own = side.decide(ask(group, terms, purpose, version));
        SideTerms next = next(group, terms.next());
        if (before.isEmpty() && next == null) {
            return own.thenApply(side::decided);
        }
        return own.thenCompose(decided -> {
            SideDecisions all = before.and(side.decided(decided));
            return decided.allowed() || purpose == Purpose.LOOK
                    ? decide(group, next, purpose, version, all)
                    : before.giveBack().handle((done, failure) -> all);
        });
    }

    /** Returns the first of these sides that has to be asked; null if there is none. */
    private static @Nullable SideTerms next(LimitGroup group, @Nullable SideTerms first) {
        SideTerms terms = first;
        while (terms != null && !group.asks(terms.side())) {
            terms = terms.next();
        }
        return terms;
    }

    /** Decides a group, but only looks at limits whose permits are held, because nothing would release those permits. */
    CompletionStage<SideDecisions> decideHoldingNothing(LimitGroup group, Purpose purpose, long version) {
        if (!group.holds() || purpose == Purpose.LOOK) {
            return decide(group, purpose, version);
        }
        return decide(group.held(true), Purpose.LOOK, version)
                .thenCompose(looked -> decide(group.held(false), looked.allowed() ? purpose : Purpose.LOOK, version)
                        .thenApply(looked::and));
    }

    private Ask ask(LimitGroup group, SideTerms terms, Purpose purpose, long version) {
        return group.ask(terms, purpose, version, terms.sharedByNodes() ? nodeShare() : 1);
    }

    /** Returns the share of one node, rounded up in the last digit, so that a third of 300 is not 99. */
    private double nodeShare() {
        int nodes = liveNodes.getAsInt();
        return nodes < 1 ? Handling.DEFAULT_LOCAL_SHARE : Math.min(1, Math.nextUp(1.0 / nodes));
    }

    /** Waits for all sides involved, one after the other. */
    Acquisition acquire(LimitGroup group, long version, Duration maxWait, Clock clock) {
        Acquisition acquisition = new Acquisition();
        new Waiting(acquisition, group, version, clock.nanoTime() + maxWait.toNanos(), clock)
                .wait(group.terms(), maxWait, SideDecisions.NONE);
        return acquisition;
    }

    /** The wait of one request for all sides. */
    private final class Waiting {

        private final Acquisition acquisition;
        private final LimitGroup group;
        private final long version;
        private final long untilNanos;
        private final Clock clock;

        Waiting(Acquisition acquisition, LimitGroup group, long version, long untilNanos, Clock clock) {
            this.acquisition = acquisition;
            this.group = group;
            this.version = version;
            this.untilNanos = untilNanos;
            this.clock = clock;
        }

        void wait(@Nullable SideTerms first, Duration maxWait, SideDecisions before) {
            SideTerms terms = next(group, first);
            if (terms == null) {
                acquisition.decided(before);
                return;
            }
            Side side = terms.side();
            Ask ask = ask(group, terms, Purpose.CHARGE, version);
            acquisition.await(side.limiter().acquireAsync(ask, maxWait)).whenComplete((decision, left) -> {
                if (decision == null || !decision.allowed()) {
                    before.giveBack();
                }
                if (decision != null && decision.allowed()) {
                    Duration rest = Duration.ofNanos(Math.max(0, untilNanos - clock.nanoTime()));
                    wait(terms.next(), rest, before.and(side.decided(decision)));
                } else if (decision != null) {
                    acquisition.decided(before.and(side.decided(decision)));
                }
            });
        }
    }
}
