package io.sluice.rules;

import io.sluice.core.Decision;
import io.sluice.core.Limit;
import io.sluice.core.Limiter;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Ask.Purpose;
import io.sluice.core.time.Clock;
import io.sluice.rules.internal.Applied;
import io.sluice.rules.internal.Reports;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What every front door calls: attributes in, one ruling out. Safe for use by many threads; never blocks.
 *
 * <p>All limits of all matching rules are one decision: all pass and all are charged, or one refuses and none is charged.
 *
 * <p><b>Two engines in one request.</b> When rules of {@code mode: local} and of another mode match together, the in-process
 * limits are charged first and the shared ones after; if those refuse, the in-process charge is given back. So nothing is
 * ever over-admitted, but a request that will be refused may hold in-process permits for the length of one call to the
 * store. A request that the in-process limits refuse is not put to the store at all: reported is then the first refusing
 * in-process limit, and {@code retryAfter} speaks of those.
 */
public final class Evaluator {

    private final Supplier<RuleSet> rules;
    private final Limiter local;
    private final @Nullable Limiter shared;
    private final Clock clock;
    private final RulingListener listener;

    /**
     * An evaluator.
     *
     * @param rules gives the set in force; asked once for each request
     * @param local decides {@code mode: local}, and everything if there is no shared limiter
     * @param shared decides the other modes; null if there is no shared store
     */
    public Evaluator(
            Supplier<RuleSet> rules, Limiter local, @Nullable Limiter shared, Clock clock, RulingListener listener) {
        this.rules = rules;
        this.local = local;
        this.shared = shared;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Rules on a request.
     *
     * @param permits 1 to {@link Limit#MAX_PERMITS} to be charged, or 0 to look whether one permit would pass
     */
    public CompletionStage<Ruling> evaluate(Attributes request, long permits) {
        if (permits < 0 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 0.." + Limit.MAX_PERMITS + ")");
        }
        long start = clock.nanoTime();
        Applied applied = Applied.of(rules.get(), request, permits, shared != null);
        Ruling.Impossible impossible = applied.impossible();
        return impossible != null
                ? CompletableFuture.completedFuture(impossible)
                : decide(applied).thenApply(decisions -> told(Reports.ruling(applied, decisions), start));
    }

    private CompletionStage<List<Decision>> decide(Applied applied) {
        Purpose purpose = applied.permits() == 0 ? Purpose.LOOK : Purpose.CHARGE;
        Limiter remote = shared;
        if (applied.inStore().isEmpty() || remote == null) {
            return applied.inProcess().isEmpty()
                    ? CompletableFuture.completedFuture(List.of())
                    : local.decideAsync(ask(applied, applied.inProcess(), purpose, local))
                            .thenApply(List::of);
        }
        if (applied.inProcess().isEmpty()) {
            return remote.decideAsync(ask(applied, applied.inStore(), purpose, remote))
                    .thenApply(List::of);
        }
        return local.decideAsync(ask(applied, applied.inProcess(), purpose, local))
                .thenCompose(first -> first.allowed() || purpose == Purpose.LOOK
                        ? decideInStore(applied, purpose, first, remote)
                        : CompletableFuture.completedFuture(List.of(first)));
    }

    private CompletionStage<List<Decision>> decideInStore(
            Applied applied, Purpose purpose, Decision first, Limiter remote) {
        return remote.decideAsync(ask(applied, applied.inStore(), purpose, remote))
                .thenCompose(second -> {
                    List<Decision> both = List.of(first, second);
                    return second.allowed() || purpose == Purpose.LOOK
                            ? CompletableFuture.completedFuture(both)
                            : local.giveBack(first).handle((done, failure) -> both);
                });
    }

    private static Ask ask(Applied applied, List<Applied.Bound> bound, Purpose purpose, Limiter limiter) {
        return new Ask(
                bound.stream().map(Applied.Bound::demand).toList(),
                purpose,
                limiter.dueIn(applied.deadline()),
                applied.onFailure(),
                applied.localShare(),
                applied.version());
    }

    private Ruling.Settled told(Ruling.Settled ruling, long startNanos) {
        listener.ruled(ruling, clock.nanoTime() - startNanos);
        return ruling;
    }
}
