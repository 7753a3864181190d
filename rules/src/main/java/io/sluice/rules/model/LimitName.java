package io.sluice.rules.model;

import java.util.Optional;

/**
 * The names of one limit of a rule. Immutable.
 *
 * <p>Reports use {@code <rule>.<id>}, or {@code <rule>.<position>} if the limit has no id. For candidates they use {@code
 * <rule>.candidate-<id or position>}. Counts are stored under a name without the position, so that limits can be reordered.
 *
 * <p>Both names are unique in a rule set. A limit's own id has no dots, does not consist of digits only, and is neither {@code candidate}
 * nor {@code candidate-…}. So the text after the last dot determines how to read the text before it. Counts of limits without an id are
 * stored under the rule's id. If that id itself has dots, another dot is appended. Otherwise rule {@code a.b} would share counts with limit
 * {@code b} of rule {@code a}.
 *
 * @param reported the limit's name in reports
 * @param counted the name under which its counts are stored, together with its shape and the key
 */
public record LimitName(String reported, String counted) {

    private static final String CANDIDATE = "candidate";

    /**
     * Returns the name of a limit that is in force.
     *
     * @param position the position of the limit, from 0
     */
    public static LimitName live(String rule, Optional<String> id, int position) {
        if (id.isPresent()) {
            String name = rule + "." + id.get();
            return new LimitName(name, name);
        }
        return new LimitName(rule + "." + position, rule.indexOf('.') < 0 ? rule : rule + ".");
    }

    /** Returns the name of a candidate limit. It never shares a count with a limit in force. */
    public static LimitName candidate(String rule, Optional<String> id, int position) {
        return new LimitName(
                rule + "." + CANDIDATE + "-" + id.orElse(Integer.toString(position)),
                rule + "." + CANDIDATE + id.map(own -> "-" + own).orElse(""));
    }

    /**
     * Returns the name in reports of the limit that a candidate is meant to replace, even if there is no such limit; empty if the name does
     * not belong to a candidate.
     */
    public static Optional<String> replacedBy(String rule, String reported) {
        String candidate = rule + "." + CANDIDATE + "-";
        return reported.startsWith(candidate)
                ? Optional.of(rule + "." + reported.substring(candidate.length()))
                : Optional.empty();
    }

    /** Returns whether a limit may have this id. */
    public static boolean isLegal(String id) {
        return !id.isEmpty()
                && id.length() <= 64
                && id.chars().allMatch(c -> isLetter(c) || isDigit(c) || c == '-' || c == '_')
                && !id.chars().allMatch(LimitName::isDigit)
                && !id.equals(CANDIDATE)
                && !id.startsWith(CANDIDATE + "-");
    }

    /** Returns the id that the limit has in its rule; empty if the limit is named by its position. */
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
