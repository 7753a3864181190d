package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Ask.Purpose;
import io.sluice.core.time.Clock;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Routes the limits of a request to the one or two engines that decide them, in the right order. Thread-safe. */
final class EngineRouter {

    private final Limiter local;
    private final @Nullable Limiter shared;
    private final IntSupplier liveNodes;

    /** The reason why an existing store is not asked; null if it is asked. */
    private final @Nullable String withoutStore;

    EngineRouter(Limiter local, @Nullable Limiter shared, IntSupplier liveNodes) {
        this(local, shared, liveNodes, null);
    }

    private EngineRouter(
            Limiter local, @Nullable Limiter shared, IntSupplier liveNodes, @Nullable String withoutStore) {
        this.local = local;
        this.shared = shared;
        this.liveNodes = liveNodes;
        this.withoutStore = withoutStore;
    }

    /** Returns a router to the same engines whose decisions follow each rule's failure policy instead of asking the store. */
    EngineRouter withoutStore(String reason) {
        return new EngineRouter(local, shared, liveNodes, reason);
    }

    /**
     * Decides a request in this process if no store is involved and no limit is in shadow, which is the case for most requests in a process
     * without a store. The answer is immediate. Returns null for any other request.
     */
    @Nullable
    Decision decideHere(MatchedRequest matched) {
        return matched.shadows().isEmpty()
                        && matched.permits() > 0
                        && matched.usage().limits().isEmpty()
                ? chargeHere(matched.live(), matched.set().version())
                : null;
    }

    /**
     * Charges limits in this process if no store is involved and the request has all attributes that they count by. The answer is
     * immediate. Returns null for any other group, and then charges nothing.
     */
    @Nullable
    Decision chargeHere(LimitGroup group, long version) {
        return group.limits().isEmpty() || group.any(true) || group.lacking() != null
                ? null
                : local.decide(ask(group, false, Purpose.CHARGE, local, version));
    }

    /** Returns one decision per engine involved. The list is empty if no limit is left to ask. */
    CompletionStage<List<Decision>> decide(LimitGroup group, Purpose purpose, long version) {
        Limiter store = shared;
        boolean inProcess = group.any(false);
        if (store == null || !group.any(true)) {
            return inProcess
                    ? local.decideAsync(ask(group, false, purpose, local, version))
                            .thenApply(List::of)
                    : CompletableFuture.completedFuture(List.of());
        }
        if (!inProcess) {
            return inStore(store, ask(group, true, purpose, store, version)).thenApply(List::of);
        }
        return local.decideAsync(ask(group, false, purpose, local, version))
                .thenCompose(first -> first.allowed() || purpose == Purpose.LOOK
                        ? decideInStore(group, purpose, version, first, store)
                        : CompletableFuture.completedFuture(List.of(first)));
    }

    private CompletionStage<List<Decision>> decideInStore(
            LimitGroup group, Purpose purpose, long version, Decision first, Limiter store) {
        return inStore(store, ask(group, true, purpose, store, version)).thenCompose(second -> {
            List<Decision> both = List.of(first, second);
            return second.allowed() || purpose == Purpose.LOOK
                    ? CompletableFuture.completedFuture(both)
                    : local.giveBack(first).handle((done, failure) -> both);
        });
    }

    private CompletionStage<Decision> inStore(Limiter store, Ask ask) {
        String reason = withoutStore;
        return reason == null
                ? store.decideAsync(ask)
                : CompletableFuture.completedFuture(store.decideWithoutStore(ask, reason));
    }

    /** Decides a group, but only looks at limits whose permits are held, because nothing would release those permits. */
    CompletionStage<List<Decision>> decideHoldingNothing(LimitGroup group, Purpose purpose, long version) {
        if (!group.holds() || purpose == Purpose.LOOK) {
            return decide(group, purpose, version);
        }
        return decide(group.held(true), Purpose.LOOK, version).thenCompose(looked -> decide(
                        group.held(false), CombinedDecisions.allAllow(looked) ? purpose : Purpose.LOOK, version)
                .thenApply(charged -> {
                    List<Decision> all = new ArrayList<>(looked);
                    all.addAll(charged);
                    return all;
                }));
    }

    private Ask ask(LimitGroup group, boolean inStore, Purpose purpose, Limiter limiter, long version) {
        return group.ask(inStore, purpose, limiter, version, group.sharedByNodes() ? nodeShare() : 1);
    }

    /** Returns the share of one node, rounded up in the last digit, so that a third of 300 is not 99. */
    private double nodeShare() {
        int nodes = liveNodes.getAsInt();
        return nodes < 1 ? Handling.DEFAULT_LOCAL_SHARE : Math.min(1, Math.nextUp(1.0 / nodes));
    }

    /** Waits for all engines involved, this process first. */
    Acquisition acquire(LimitGroup group, long version, Duration maxWait, Clock clock) {
        Acquisition acquisition = new Acquisition();
        long untilNanos = clock.nanoTime() + maxWait.toNanos();
        Limiter store = group.any(true) ? shared : null;
        if (!group.any(false)) {
            acquireInStore(acquisition, group, version, maxWait, store, List.of());
            return acquisition;
        }
        Ask ask = ask(group, false, Purpose.CHARGE, local, version);
        acquisition.await(local.acquireAsync(ask, maxWait)).thenAccept(first -> {
            if (first.allowed()) {
                Duration left = Duration.ofNanos(Math.max(0, untilNanos - clock.nanoTime()));
                acquireInStore(acquisition, group, version, left, store, List.of(first));
            } else {
                acquisition.decided(List.of(first));
            }
        });
        return acquisition;
    }

    private void acquireInStore(
            Acquisition acquisition,
            LimitGroup group,
            long version,
            Duration maxWait,
            @Nullable Limiter store,
            List<Decision> before) {
        if (store == null) {
            acquisition.decided(before);
            return;
        }
        Ask ask = ask(group, true, Purpose.CHARGE, store, version);
        acquisition.await(store.acquireAsync(ask, maxWait)).whenComplete((decision, left) -> {
            if (decision == null || !decision.allowed()) {
                before.forEach(local::giveBack);
            }
            if (decision != null) {
                List<Decision> all = new ArrayList<>(before);
                all.add(decision);
                acquisition.decided(all);
            }
        });
    }

    /** Gives back the permits that decisions of these engines charged. */
    CompletionStage<?> giveBack(List<Decision> decisions) {
        return CompletableFuture.allOf(decisions.stream()
                .map(decision -> (isLocal(decision) || shared == null ? local : shared)
                        .giveBack(decision)
                        .toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    /**
     * Returns whether this process made the decision. One engine decides a whole ask, so all of its demands belong to one engine.
     */
    static boolean isLocal(Decision decision) {
        return decision.ask().demands().stream()
                .allMatch(demand -> demand.label().mode().equals(Mode.LOCAL.word()));
    }
}
