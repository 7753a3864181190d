package io.sluice.rules.model;

import java.util.Optional;

/**
 * What a limit of a rule is called. Immutable.
 *
 * <p>Reports say {@code <rule>.<id>}, or {@code <rule>.<position>} where the limit has no id; of candidates
 * {@code <rule>.candidate-<id or position>}. Counts are filed under a name without the position, so that limits can be moved.
 *
 * <p>No two limits of a rule set have the same of either. A limit's own id has no dots, is never digits alone and never {@code candidate} nor
 * {@code candidate-…}, so what stands behind the last dot tells what stands before it. Counts of limits without an id are filed
 * under the rule's id alone; one that has dots itself gets another at the end, lest rule {@code a.b} count together with
 * limit {@code b} of rule {@code a}.
 *
 * @param reported as reports call the limit
 * @param counted what its counts are filed under, beside its shape and the key
 */
public record LimitName(String reported, String counted) {

    private static final String CANDIDATE = "candidate";

    /**
     * The name of a limit that is in force.
     *
     * @param position from 0
     */
    public static LimitName live(String rule, Optional<String> id, int position) {
        String unnamed = rule.indexOf('.') < 0 ? rule : rule + ".";
        return new LimitName(
                rule + "." + id.orElse(Integer.toString(position)),
                id.map(own -> rule + "." + own).orElse(unnamed));
    }

    /** The name of a limit that is only tried; it never shares a count with one in force. */
    public static LimitName candidate(String rule, Optional<String> id, int position) {
        return new LimitName(
                rule + "." + CANDIDATE + "-" + id.orElse(Integer.toString(position)),
                rule + "." + CANDIDATE + id.map(own -> "-" + own).orElse(""));
    }

    /** Whether a limit may have this id of its own. */
    public static boolean isLegal(String id) {
        return !id.isEmpty()
                && id.length() <= 64
                && id.chars().allMatch(c -> isLetter(c) || isDigit(c) || c == '-' || c == '_')
                && !id.chars().allMatch(LimitName::isDigit)
                && !id.equals(CANDIDATE)
                && !id.startsWith(CANDIDATE + "-");
    }

    /** The id that a limit was given in its rule; empty if it goes by its position. */
    public static Optional<String> ownId(String rule, RuleLimit limit) {
        String own = limit.id().substring(rule.length() + 1);
        own = own.startsWith(CANDIDATE + "-") ? own.substring(CANDIDATE.length() + 1) : own;
        return own.chars().allMatch(LimitName::isDigit) ? Optional.empty() : Optional.of(own);
    }

    private static boolean isLetter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }
}
