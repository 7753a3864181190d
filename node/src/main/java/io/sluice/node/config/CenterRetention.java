package io.sluice.node.config;

import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The retention times of a center, from the section {@code center.retention}. Immutable.
 *
 * @param times the times by the name of the kind; kinds without a time keep their default
 * @param backups the number of saved databases that are kept
 */
public record CenterRetention(Map<String, Duration> times, Optional<Integer> backups) {

    static final CenterRetention NONE = new CenterRetention(Map.of(), Optional.empty());

    private static final String BACKUPS = "backups";
    private static final int MOST_BACKUPS = 1_000;
    private static final long LONGEST_DAYS = 36_500;
    private static final Pattern DAYS = Pattern.compile("[0-9]{1,6}d");

    /** The minimum time of each kind, in days. */
    private static final Map<String, Long> SHORTEST_DAYS = shortest();

    public CenterRetention {
        times = Map.copyOf(times);
    }

    private static Map<String, Long> shortest() {
        Map<String, Long> days = new LinkedHashMap<>();
        days.put("audit", 30L);
        days.put("versions", 30L);
        days.put("changes", 30L);
        days.put("adjustments", 1L);
        days.put("accounts", 1L);
        days.put("tokens", 1L);
        days.put("erasures", 30L);
        days.put("series_minutes", 2L);
        days.put("series_hours", 30L);
        return days;
    }

    static CenterRetention of(Fields center) {
        List<String> keys = new ArrayList<>(SHORTEST_DAYS.keySet());
        keys.add(BACKUPS);
        Optional<Fields> fields = center.fields("retention", keys);
        if (fields.isEmpty()) {
            return NONE;
        }
        Map<String, Duration> times = new LinkedHashMap<>();
        SHORTEST_DAYS.forEach((kind, least) ->
                fields.get().read(kind, text -> time(kind, text, least)).ifPresent(time -> times.put(kind, time)));
        return new CenterRetention(
                times, fields.get().whole(BACKUPS, 1, MOST_BACKUPS).map(Long::intValue));
    }

    private static Duration time(String kind, String text, long least) {
        long days = DAYS.matcher(text).matches() ? Long.parseLong(text.substring(0, text.length() - 1)) : 0;
        if (days < least || days > LONGEST_DAYS) {
            throw new IllegalArgumentException(kind + ": " + PrintableText.text(text) + " (expected: days from " + least
                    + "d to " + LONGEST_DAYS + "d, such as 730d)");
        }
        return Duration.ofDays(days);
    }
}
