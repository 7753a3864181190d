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
 * Decides whether some callers can try a change while other callers do not. They can if callers of the two sides share no count: each
 * changed limit must count by the attribute that splits the callers. Otherwise the use of one side reduces the permits of the other, and
 * neither side shows the effect of the change.
 */
public final class CallerTrials {

    /** The attributes that split callers if no attribute is requested, the best first. */
    private static final List<String> USUAL = List.of("user", "tenant", "ip");

    private static final String INSTEAD =
            "or release it as a \"candidate\", which counts what it would refuse beside the limits in force";

    private CallerTrials() {}

    /** The decision whether some callers can try a change. */
    public sealed interface Answer {

        /** Some callers can try the change, split by this attribute. */
        record By(String attribute) implements Answer {}

        /**
         * The callers cannot be split.
         *
         * @param limit the first limit that prevents it, by its name in reports
         * @param why the reason, as a sentence
         */
        record Impossible(String limit, String why) implements Answer {}
    }

    /**
     * Finds the attribute to split callers by.
     *
     * @param wanted the attribute to use; empty for {@code user}, otherwise {@code tenant}, otherwise {@code ip}
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
     * Returns the time for which a change must not be promoted: the longest window of the counts that start fresh. Such a count has refused
     * no requests yet, so the change seems better than it is. A change of numbers keeps the counts. A change that already refuses too much
     * does not get better with time, so a rollback need not wait.
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
