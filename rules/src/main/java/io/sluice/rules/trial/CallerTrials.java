package io.sluice.rules.trial;

import io.sluice.rules.model.By;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.PrintableText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Finds out whether some callers can try a change while others do not. They can if no count is used by callers of both sides: each
 * changed limit must count by the attribute that splits the callers. Otherwise what one side uses is missing on the other, and
 * neither shows what the change does.
 */
public final class CallerTrials {

    /** The attributes that split callers if none is wanted, the best first. */
    private static final List<String> USUAL = List.of("user", "tenant", "ip");

    private static final String INSTEAD =
            "or release it as a \"candidate\", which counts what it would refuse beside the limits in force";

    private CallerTrials() {}

    /** Whether callers can try a change. */
    public sealed interface Answer {

        /** They can, split by this attribute. */
        record By(String attribute) implements Answer {}

        /**
         * They cannot.
         *
         * @param limit the first limit in the way, by its name in reports
         * @param why as a sentence
         */
        record Impossible(String limit, String why) implements Answer {}
    }

    /**
     * Finds the attribute to split callers by.
     *
     * @param wanted the attribute to use; empty for {@code user}, else {@code tenant}, else {@code ip}
     */
    public static Answer attribute(RuleSet before, RuleSet after, Optional<String> wanted) {
        List<RuleLimit> changed = ChangedLimits.between(before, after);
        List<String> choices =
                wanted.map(name -> List.of(Attributes.normalisedName(name))).orElse(USUAL);
        for (String attribute : choices) {
            if (changed.stream().allMatch(limit -> countsBy(limit, attribute))) {
                return new Answer.By(attribute);
            }
        }
        RuleLimit inTheWay = changed.stream()
                .filter(limit -> choices.stream().noneMatch(attribute -> countsBy(limit, attribute)))
                .findFirst()
                .orElseGet(() -> changed.stream()
                        .filter(limit -> !countsBy(limit, choices.get(0)))
                        .findFirst()
                        .orElseThrow());
        return new Answer.Impossible(
                inTheWay.id(),
                "callers: limit " + inTheWay.id() + " counts " + counted(inTheWay)
                        + ", so callers on trial would share its counts with the others (expected: changed limits that count by "
                        + (wanted.isPresent()
                                ? PrintableText.text(choices.get(0))
                                : "user, all by tenant, or all by ip")
                        + "; " + INSTEAD + ")");
    }

    /**
     * Returns how long a change must not be promoted: the longest window of the counts that start fresh. Such a count has refused nothing
     * yet, so the change seems better than it is. Other numbers keep their counts. A change that already refuses too much does not get
     * better with time, so a rollback waits for nothing.
     */
    public static Duration settling(RuleSet before, RuleSet after) {
        long micros = ChangedLimits.fresh(before, after).stream()
                .mapToLong(limit -> limit.limit().windowMicros())
                .max()
                .orElse(0);
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    private static boolean countsBy(RuleLimit limit, String attribute) {
        return limit.by().stream()
                .anyMatch(
                        by -> by.attribute().equals(attribute) && by.otherwise().isEmpty());
    }

    private static String counted(RuleLimit limit) {
        return limit.by().isEmpty()
                ? "all callers together"
                : "by "
                        + String.join(
                                ", ", limit.by().stream().map(By::attribute).toList());
    }
}
