package io.sluice.redis;

import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/**
 * One step in the history of one count, as Redis saw it. The steps of a count, from whichever process, are numbered without gaps
 * in the order in which they took effect. Immutable.
 *
 * @param count the count's name in Redis
 * @param number 1 for the first step after recording began, or after a day without any
 * @param atMicros the server's time, the same for all steps of a batch
 */
public record Recorded(String count, long number, long atMicros, Step step) {

    /** What was done. */
    public sealed interface Step {}

    /** A demand was judged, and charged if {@code charging} and its ask as a whole was allowed. */
    public record Asked(Demand demand, boolean charging, Verdict verdict) implements Step {}

    /** A charge was given back, as far as it still counted. */
    public record GivenBack(Charge charge) implements Step {}

    /** A permit was renewed, if it was still held. */
    public record Renewed(Charge charge, boolean held) implements Step {}
}
