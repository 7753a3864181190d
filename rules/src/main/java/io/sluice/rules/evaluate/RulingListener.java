package io.sluice.rules.evaluate;

import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.SettledLimit;

/**
 * Receives every ruling, on the thread that made it; used for metrics. One request has one ruling, even if several engines were asked. Must
 * be fast. Exceptions are counted and logged, and the ruling stays valid.
 */
@FunctionalInterface
public interface RulingListener {

    /**
     * Called before a request is decided, on the thread that asks. Returns the listener that receives the outcome. Override this to record
     * the start of a request or its circumstances. Not called for a request that can never pass because it asks for too many permits.
     */
    default RulingListener begun() {
        return this;
    }

    /** Works like {@link #begun()}. Override this method to get the request. */
    default RulingListener begun(Attributes request) {
        return begun();
    }

    /** Works like {@link #ruled(Ruling.Settled, long)}. Override this method to get the request; the other method is then not called. */
    default void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
        ruled(ruling, elapsedNanos);
    }

    /** Works like {@link #passedEarly(Ruling.Settled, long)}. Override this method to get the request. */
    default void passedEarly(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
        passedEarly(ruling, elapsedNanos);
    }

    /**
     * Called after a request was decided.
     *
     * @param elapsedNanos the time from the request to the ruling
     */
    void ruled(Ruling.Settled ruling, long elapsedNanos);

    /**
     * Called instead of {@link #ruled} when rules that act before authentication let a request pass. There will be another ruling on the
     * request, so override this to count it once.
     */
    default void passedEarly(Ruling.Settled ruling, long elapsedNanos) {
        ruled(ruling, elapsedNanos);
    }

    /** Called after a reservation of a limit was settled or could not be settled. */
    default void settled(SettledLimit settled) {}

    /** Called instead of {@link #settled} after usage was charged without a reservation. Override this to distinguish the two. */
    default void used(SettledLimit usage) {
        settled(usage);
    }

    /**
     * Called if a reservation will not be settled, so that it stays charged.
     *
     * @param reason a short word for metrics
     */
    default void unsettled(Reservation reservation, String reason) {}

    /** Called if a {@linkplain #begun started} request ends without a ruling because its caller stopped waiting. */
    default void abandoned() {}
}
