package io.sluice.center.series;

import io.sluice.center.refusal.RefusedException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The requested time span and step.
 *
 * @param from the start of the first step, in seconds since 1970
 * @param until the end in seconds since 1970, exclusive
 */
record SeriesRange(SeriesStep step, long from, long until) {

    private static final long USUAL = 3_600;

    /** Sums of a longer time span are computed from hours. */
    private static final long LONGEST_BY_MINUTES = 6 * 3_600;

    /** Reads a request, and refuses a request for too many points. */
    static SeriesRange of(@Nullable String from, @Nullable String to, @Nullable String step, long now) {
        long end = to == null ? now + 1 : second("to", to);
        long begin = from == null ? end - USUAL : second("from", from);
        if (begin >= end) {
            throw RefusedException.invalid("from: " + Instant.ofEpochSecond(begin) + " (expected: a time before to, "
                    + Instant.ofEpochSecond(end) + ")");
        }
        SeriesStep chosen = step == null ? SeriesStep.fitting(begin, end, now) : step(step);
        long points = chosen.points(begin, end);
        if (points > SeriesStep.MOST_POINTS) {
            throw RefusedException.invalid("from: " + points + " points (expected: at most " + SeriesStep.MOST_POINTS
                    + "; ask for a shorter time or a longer step than " + chosen.word() + ")");
        }
        return new SeriesRange(chosen, chosen.start(begin), end);
    }

    /** Returns the range for sums, extended to whole steps. Sums of many steps would take long, and sums of seconds are not kept. */
    SeriesRange ofSums(boolean isStepChosen) {
        SeriesStep used = step == SeriesStep.SECOND ? SeriesStep.MINUTE : step;
        if (!isStepChosen && used == SeriesStep.MINUTE && until - from > LONGEST_BY_MINUTES) {
            used = SeriesStep.HOUR;
        }
        return new SeriesRange(used, used.start(from), used.start(until - 1) + used.seconds());
    }

    private static SeriesStep step(String word) {
        return SeriesStep.of(word)
                .orElseThrow(() -> RefusedException.invalid("step: unknown (expected: one of "
                        + Arrays.stream(SeriesStep.values())
                                .map(SeriesStep::word)
                                .toList() + ")"));
    }

    private static long second(String name, String text) {
        try {
            long second = Instant.parse(text).getEpochSecond();
            if (second >= 0 && second <= Instant.parse("9999-01-01T00:00:00Z").getEpochSecond()) {
                return second;
            }
        } catch (DateTimeException e) {
            // Refused below.
        }
        throw RefusedException.invalid(name + ": not a time (expected: one such as 2026-11-17T10:00:00Z)");
    }
}
