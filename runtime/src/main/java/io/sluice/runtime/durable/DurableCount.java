package io.sluice.runtime.durable;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Windows.Window;
import java.time.ZoneId;
import java.util.Objects;

/**
 * One calendar window of a durable count. Immutable.
 *
 * @param limit the name under which the store counts
 * @param zone the id of the calendar's zone
 * @param key the key under which the store counts
 * @param startMicros the start of the window
 * @param endMicros the end of the window, exclusive
 */
public record DurableCount(String limit, Calendar calendar, String zone, String key, long startMicros, long endMicros) {

    /** The maximum number of characters of a durable key. Longer keys are not durable. */
    public static final int LONGEST_KEY = 1_024;

    /** The maximum number of characters of a limit's name. No name reaches it. */
    static final int LONGEST_NAME = 512;

    private static final int LONGEST_ZONE = 64;

    public DurableCount {
        Objects.requireNonNull(calendar, "calendar");
        check("limit", limit, LONGEST_NAME);
        check("zone", zone, LONGEST_ZONE);
        check("key", key, LONGEST_KEY);
        if (startMicros < 0 || endMicros <= startMicros) {
            throw new IllegalArgumentException(
                    "window: " + startMicros + ".." + endMicros + " (expected: an end after the beginning)");
        }
    }

    private static void check(String name, String text, int longest) {
        if (text.length() > longest) {
            throw new IllegalArgumentException(
                    name + ": " + text.length() + " characters (expected: at most " + longest + ")");
        }
    }

    /** Returns the window to which a charge belongs. */
    static DurableCount of(FixedWindow limit, String key, long atMicros) {
        Window window = limit.windows().at(atMicros);
        return new DurableCount(
                limit.name(),
                Objects.requireNonNull(limit.calendar()),
                Objects.requireNonNull(limit.zone()).getId(),
                key,
                window.startMicros(),
                window.endMicros());
    }

    /** Returns the limit with an arbitrary capacity: the store finds the count by name, shape and key. */
    FixedWindow asLimit() {
        return Limit.named(limit).fixedWindow(Limit.MAX_CAPACITY, calendar, ZoneId.of(zone));
    }

    /** Hides the key. */
    @Override
    public String toString() {
        return "DurableCount(" + limit + ", " + startMicros + ")";
    }
}
