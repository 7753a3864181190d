package io.sluice.center.explain;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the rules in force say about a request, in the API.
 *
 * @param request the attributes as they were understood
 * @param ignored the names of headers and fields that no rule reads
 * @param version of the rules in force
 * @param rules those that apply, in their order; then some that nearly do
 * @param others how many rules are not listed, because they do not apply
 * @param node the node that told the counts, if one did and the caller may see nodes
 * @param answered whether a node told the counts
 */
public record ExplainReply(
        Map<String, String> request,
        List<String> ignored,
        List<String> warnings,
        long version,
        List<ExplainedRule> rules,
        long others,
        ExplainedDecision decision,
        @Nullable String node,
        boolean answered) {

    public ExplainReply {
        ignored = List.copyOf(ignored);
        warnings = List.copyOf(warnings);
        rules = List.copyOf(rules);
    }

    /**
     * A rule.
     *
     * @param why a sentence: which conditions hold or, if it does not apply, which do not
     * @param state {@code live}, {@code shadow} or {@code disabled}
     * @param action what the rule does, as a document names it
     * @param limits empty if the rule does not apply
     */
    public record ExplainedRule(
            String rule,
            @Nullable String name,
            boolean matches,
            String why,
            String state,
            String action,
            List<ExplainedLimit> limits) {

        public ExplainedRule {
            limits = List.copyOf(limits);
        }
    }

    /**
     * A limit of a rule that applies. What only a node knows is null if none answered.
     *
     * @param text such as {@code 5 per 1m by ip}
     * @param key whose count it is; most of each value is hidden
     * @param hash the hash of the caller, for an override
     * @param override whether its numbers come from an override
     * @param retryAfterMs 0 if the limit allows the request; null if waiting does not help
     */
    public record ExplainedLimit(
            String limit,
            String text,
            List<String> by,
            @Nullable String key,
            @Nullable String hash,
            boolean shadow,
            boolean override,
            @Nullable Boolean allowed,
            @Nullable Long used,
            @Nullable Long remaining,
            @Nullable Long retryAfterMs,
            @Nullable Long resetAfterMs) {

        public ExplainedLimit {
            by = List.copyOf(by);
        }
    }

    /**
     * What would be decided, by the rules that the caller sees.
     *
     * @param allowed null if that depends on counts that no node told
     * @param rule the rule that decides; null if none applies or all pass
     * @param why a sentence
     */
    public record ExplainedDecision(
            @Nullable Boolean allowed,
            @Nullable String rule,
            @Nullable String limit,
            @Nullable Long retryAfterMs,
            String why) {}
}
