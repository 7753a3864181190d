package io.sluice.rules.changes;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import java.util.Map;
import java.util.Objects;

/**
 * Says what it means that a limit starts a new count. What was used of the old limit is not known to the new one. So both can be
 * used, until the old one would have forgotten what was used.
 */
final class FreshCount {

    /** For a limit that never refuses. */
    static final String IN_SHADOW = "it refuses nothing, so only its reports start anew";

    /** For a limit that refused nothing so far. */
    static final String OUT_OF_SHADOW = "the old limit refused nothing, so only the new one matters";

    private static final String BOTH = " the old and the new limit can both be used";

    private FreshCount() {}

    static String means(Limit old, Limit now) {
        if (now.capacity() == 0) {
            return "the new limit lets nothing pass, so nothing more can be used";
        }
        if (old.capacity() == 0) {
            return "the old limit let nothing pass, so only the new one can be used";
        }
        return old.kind().holds()
                ? "it does not know the permits that are held, so until they are released, at most for "
                        + LimitWords.micros(old.windowMicros()) + " unless they are renewed," + BOTH
                : span(old) + BOTH + unused(now);
    }

    /** Returns how long the old limit would have remembered what was used. */
    private static String span(Limit old) {
        if (old.windowMicros() == 0) {
            return "at the moment of the change";
        }
        if (old.kind().queues()) {
            return "for the time in which the old queue drains (" + LimitWords.micros(old.windowMicros()) + ")";
        }
        if (old.rate() != null) {
            return "for the time in which the old bucket would have filled up (" + LimitWords.micros(old.windowMicros())
                    + ")";
        }
        if (old.followsCalendar()) {
            Map<Parameter, Object> parameters = old.parameters();
            Calendar calendar = (Calendar) Objects.requireNonNull(parameters.get(Parameter.ALIGN));
            return "until the " + calendar.word() + " ends (" + parameters.get(Parameter.ZONE) + ")";
        }
        return "for one window (" + LimitWords.micros(old.windowMicros()) + ")";
    }

    private static String unused(Limit now) {
        Object burst = now.parameters().get(Parameter.BURST);
        return burst == null ? "" : "; the new bucket starts full, with a burst of " + burst;
    }
}
