package io.sluice.rules.side;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An engine that counts limits of this process, with the limiter that asks it. A limit is bound to one side, once for each request.
 * Thread-safe.
 */
public final class Side {

    /** The name of the side that counts in this process. */
    public static final String PROCESS = "process";

    /** The name of the side that counts in the shared store. */
    public static final String STORE = "store";

    private final int position;
    private final String name;
    private final Limiter limiter;
    private final Duration deadline;
    private final @Nullable String shed;
    private final List<Side> alone = List.of(this);

    /**
     * @param position the position in the order in which sides are asked; 0 is this process
     * @param deadline the maximum time to renew or release permits, or to charge usage. No request waits for this
     * @param shed the reason why the side is not asked; null if it is
     */
    Side(int position, String name, Limiter limiter, Duration deadline, @Nullable String shed) {
        this.position = position;
        this.name = name;
        this.limiter = limiter;
        this.deadline = deadline;
        this.shed = shed;
    }

    /** Returns the same side, which each rule's failure policy replaces. This process decides as always. */
    Side shedding(String reason) {
        return remote() ? new Side(position, name, limiter, deadline, reason) : this;
    }

    /** Returns the name, which permits and reservations carry. */
    public String name() {
        return name;
    }

    public Limiter limiter() {
        return limiter;
    }

    /** Returns the maximum time to renew or release permits, or to charge usage. No request waits for this. */
    public Duration deadline() {
        return deadline;
    }

    /** Returns whether other processes share its counts. A remote side may be slow, and may fail. */
    public boolean remote() {
        return position > 0;
    }

    /** Returns whether this side is asked before another side: the cheaper side is asked first. */
    public boolean isBefore(Side other) {
        return position < other.position;
    }

    /** Returns the mode of this rule's decisions in reports, as answers spell it. */
    public String mode(Rule rule) {
        return (remote() ? rule.handling().mode() : Mode.LOCAL).word();
    }

    /** Returns the moment by which a decision that is requested now must be made. */
    public long dueIn(Duration deadline) {
        return remote() ? limiter.dueIn(deadline) : Ask.NO_DEADLINE;
    }

    /** Decides immediately. Call it for this process only: a remote side would block. */
    public SideDecisions decideNow(Ask ask) {
        return decided(limiter.decide(ask));
    }

    /** Decides without blocking. */
    public CompletionStage<Decision> decide(Ask ask) {
        String reason = shed;
        return reason == null
                ? limiter.decideAsync(ask)
                : CompletableFuture.completedFuture(limiter.decideWithoutStore(ask, reason));
    }

    /** Charges an ask that no request waits for. Does nothing while the side is not asked. */
    public CompletionStage<?> charge(Ask ask, Duration deadline) {
        return shed == null
                ? limiter.decideAsync(remote() ? ask.dueAt(dueIn(deadline)) : ask)
                : CompletableFuture.completedFuture(null);
    }

    /** Returns a decision of this side. */
    public SideDecisions decided(Decision decision) {
        return new SideDecisions(alone, List.of(decision));
    }

    /** Releases permits that are held at this side; completes with whether any of them was still held. */
    public CompletionStage<Boolean> release(List<Charge> held) {
        return limiter.release(held, deadline);
    }

    /** Extends permits that are held at this side; completes with whether all of them were still held. */
    public CompletionStage<Boolean> renew(List<Charge> held) {
        return limiter.renew(held, deadline);
    }

    @Override
    public String toString() {
        return name;
    }
}
