package io.sluice.rules.source;

/**
 * The words for one source in logs and findings.
 *
 * @param read the log says this when the first rules come into force
 * @param place where the rules are, for the log; empty if {@code read} says it
 * @param refused the log says this about rules that are refused
 * @param noneYet the log says this of rules that are refused before any were in force
 * @param away the log says this when the source cannot be read; empty if the source logs that itself
 * @param back the log says this when it can be read again
 * @param awayFinding the finding while the source cannot be read
 * @param refusedFinding the finding while the newest rules are refused
 * @param awayReason why there may be no rules at the start, if the source cannot be read
 * @param none the warning that the source has no rules
 * @param remedy what an operator can do about that
 */
public record SourceWords(
        String read,
        String place,
        String refused,
        String noneYet,
        String away,
        String back,
        String awayFinding,
        String refusedFinding,
        String awayReason,
        String none,
        String remedy) {

    private static final String NONE_YET = "no rules are in force yet";

    /** Returns the words for a source with this name. */
    public static SourceWords of(String name) {
        String away = "rules cannot be read from " + name;
        return new SourceWords(
                "rules read from " + name,
                "",
                "rules from " + name + " refused",
                NONE_YET,
                away,
                "rules can be read from " + name + " again",
                away,
                "rules from " + name + " were refused",
                name + " is unavailable",
                "no rules in " + name,
                "Write rules there");
    }

    /** Returns the words for rules on this machine, which can always be read. */
    public static SourceWords local(String place) {
        return new SourceWords(
                "rules found",
                place,
                "rules refused",
                NONE_YET,
                "rules cannot be read",
                "rules can be read again",
                "rules cannot be read",
                "rules were refused, the last good ones stay in force",
                "rules cannot be read",
                "no rules",
                "Write rules");
    }
}
