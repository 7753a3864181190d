package io.sluice.center.personal;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The times for which a center keeps data that it no longer needs. Immutable. Data that is in force, open, or needed to undo a release is
 * kept longer.
 *
 * @param times the times by the name of the kind, for all of {@link #KINDS}
 * @param backups the number of saved databases that are kept
 */
public record RetentionSettings(Map<String, Duration> times, int backups) {

    /** Rows of the audit log. */
    public static final String AUDIT = "audit";

    /** Versions of the rules, and their rollouts. */
    public static final String VERSIONS = "versions";

    /** Closed changes, with their authors and approvals, and closed emergencies. */
    public static final String CHANGES = "changes";

    /** Overrides and switches that have ended. */
    public static final String ADJUSTMENTS = "adjustments";

    /** E-mail, names and passkeys of disabled accounts. */
    public static final String ACCOUNTS = "accounts";

    /** Tokens that were revoked or have expired. */
    public static final String TOKENS = "tokens";

    /** Answers of nodes to orders to erase. */
    public static final String ERASURES = "erasures";

    /** Traffic counts by the minute. */
    public static final String SERIES_MINUTES = "series_minutes";

    /** Traffic counts by the hour. */
    public static final String SERIES_HOURS = "series_hours";

    /** The number of versions that are kept regardless of their age. */
    public static final int VERSIONS_KEPT = 200;

    /** The time for which sums of durable limits are kept after the end of their window. */
    public static final Duration DURABLE = Duration.ofDays(1);

    /** The number of days for which refused callers are kept. */
    public static final int REFUSED_CALLERS_DAYS = 7;

    /** The default number of saved databases that are kept. */
    public static final int DEFAULT_BACKUPS = 14;

    /** The maximum number of saved databases. */
    public static final int MOST_BACKUPS = 1_000;

    /** The maximum time. */
    public static final Duration LONGEST = Duration.ofDays(36_500);

    private static final Duration TWO_YEARS = Duration.ofDays(730);
    private static final Duration QUARTER = Duration.ofDays(90);
    private static final Duration MONTH = Duration.ofDays(30);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration TWO_DAYS = Duration.ofDays(2);
    private static final Duration YEAR = Duration.ofDays(365);

    /**
     * The limits of the time of a kind.
     *
     * @param usual the default time
     * @param shortest the minimum time that can be configured
     */
    public record Bounds(Duration usual, Duration shortest) {}

    /** The kinds whose time can be configured. */
    public static final Map<String, Bounds> KINDS = kinds();

    /** Two years for records of actions and their authors, a quarter of a year for adjustments and tokens that have ended. */
    public static final RetentionSettings DEFAULT = new RetentionSettings(Map.of(), DEFAULT_BACKUPS);

    /** Adds the default time of each kind that is not named. */
    public RetentionSettings {
        Map<String, Duration> all = new LinkedHashMap<>();
        for (Map.Entry<String, Duration> each : times.entrySet()) {
            check(each.getKey(), each.getValue());
        }
        Map<String, Duration> chosen = times;
        KINDS.forEach((kind, bounds) -> all.put(kind, chosen.getOrDefault(kind, bounds.usual())));
        times = Collections.unmodifiableMap(all);
        if (backups < 1 || backups > MOST_BACKUPS) {
            throw new IllegalArgumentException(
                    "retention.backups: " + backups + " (expected: 1 to " + MOST_BACKUPS + ", such as 14)");
        }
    }

    /** Returns the time for which a kind is kept. */
    public Duration of(String kind) {
        Duration time = times.get(kind);
        if (time == null) {
            throw new IllegalArgumentException(
                    "retention." + kind + ": unknown (expected: one of " + KINDS.keySet() + ")");
        }
        return time;
    }

    private static void check(String kind, Duration time) {
        Bounds bounds = KINDS.get(kind);
        if (bounds == null) {
            throw new IllegalArgumentException(
                    "retention." + kind + ": unknown (expected: one of " + KINDS.keySet() + ")");
        }
        if (time.compareTo(bounds.shortest()) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("retention." + kind + ": " + time.toDays() + "d (expected: "
                    + bounds.shortest().toDays() + "d to " + LONGEST.toDays() + "d, such as "
                    + bounds.usual().toDays() + "d)");
        }
    }

    private static Map<String, Bounds> kinds() {
        Map<String, Bounds> kinds = new LinkedHashMap<>();
        kinds.put(AUDIT, new Bounds(TWO_YEARS, MONTH));
        kinds.put(VERSIONS, new Bounds(TWO_YEARS, MONTH));
        kinds.put(CHANGES, new Bounds(TWO_YEARS, MONTH));
        kinds.put(ADJUSTMENTS, new Bounds(QUARTER, DAY));
        kinds.put(ACCOUNTS, new Bounds(TWO_YEARS, DAY));
        kinds.put(TOKENS, new Bounds(QUARTER, DAY));
        kinds.put(ERASURES, new Bounds(TWO_YEARS, MONTH));
        kinds.put(SERIES_MINUTES, new Bounds(TWO_DAYS, TWO_DAYS));
        kinds.put(SERIES_HOURS, new Bounds(YEAR, MONTH));
        return Collections.unmodifiableMap(kinds);
    }
}
