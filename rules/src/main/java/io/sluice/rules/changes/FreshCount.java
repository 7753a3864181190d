package io.sluice.rules.changes;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import java.util.Map;
import java.util.Objects;

/**
 * Describes the consequences of a limit that starts a new count. The new limit does not know the use of the old limit. So both can be used
 * until the old limit would have forgotten its use.
 */
final class FreshCount {

    /** The consequence for a limit that never refuses. */
    static final String IN_SHADOW = "it refuses nothing, so only its reports start anew";

    /** The consequence for a limit that has refused no requests so far. */
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

    /** Returns the time after which the old limit would have forgotten its use. */
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
