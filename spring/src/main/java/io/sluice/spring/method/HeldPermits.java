package io.sluice.spring.method;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Permit;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.spring.internal.PermitScope;
import org.jspecify.annotations.Nullable;

/**
 * The concurrency permits and the reservation that a call holds while it runs. The first end of the call releases and settles
 * them. A call that never ends holds its permits as long as this object is reachable. Thread-safe.
 */
final class HeldPermits implements AutoCloseable {

    /** The value for calls that hold no permits. */
    static final HeldPermits NOTHING = new HeldPermits(null, null);

    private final @Nullable PermitScope permits;
    private final @Nullable OpenReservation reservation;

    private HeldPermits(@Nullable PermitScope permits, @Nullable OpenReservation reservation) {
        this.permits = permits;
        this.reservation = reservation;
    }

    static HeldPermits of(
            Ruling.Settled ruling, Evaluator evaluator, Clock clock, @Nullable OpenReservation reservation) {
        Permit permit = ruling.permit();
        if (permit == null) {
            return reservation == null ? NOTHING : new HeldPermits(null, reservation);
        }
        PermitScope permits = new PermitScope(evaluator, clock);
        permits.hold(permit);
        return new HeldPermits(permits, reservation);
    }

    /** Returns whether the results of the call are needed for a settlement. */
    boolean settles() {
        return reservation != null;
    }

    /** Stops renewing without releasing the permits. The caller returns the whole ruling instead. */
    void forget() {
        if (permits != null) {
            permits.forget();
        }
    }

    /** Notes a result, or one of several results. It may contain the cost of the call. */
    void seen(@Nullable Object result) {
        if (reservation != null) {
            reservation.seen(result);
        }
    }

    /** Ends the call normally, with its only result. */
    void returned(@Nullable Object result) {
        seen(result);
        completed();
    }

    /** Ends the call normally. */
    void completed() {
        if (reservation != null) {
            reservation.completed();
        }
        close();
    }

    /** Ends the call. Unless it has ended before, it counts as failed or cancelled. */
    @Override
    public void close() {
        if (reservation != null) {
            reservation.aborted();
        }
        if (permits != null) {
            permits.close();
        }
    }
}
