package io.sluice.center.explain;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reply of the API that explains how the rules in force decide a request.
 *
 * @param request the attributes that were read from the request
 * @param ignored the names of headers and fields that no rule reads
 * @param version the version of the rules in force
 * @param rules the rules that apply, in their order, followed by some rules that nearly apply
 * @param others the number of rules that are not listed, because they do not apply
 * @param node the node that returned the counts, if one did and the caller may see nodes
 * @param answered whether a node returned the counts
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
     * @param why a sentence that names the conditions that hold or, if the rule does not apply, the conditions that do not hold
     * @param state {@code live}, {@code shadow} or {@code disabled}
     * @param action the action of the rule, as a document names it
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
     * A limit of a rule that applies. Fields that only a node knows are null if no node answered.
     *
     * @param text the limit in words, such as {@code 5 per 1m by ip}
     * @param key the key that is counted; most of each value is hidden
     * @param hash the hash of the caller, for an override
     * @param override whether the numbers come from an override
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
     * The decision on the request by the rules that the caller sees.
     *
     * @param allowed null if the decision depends on counts that no node returned
     * @param rule the rule that decides; null if no rule applies or all rules allow the request
     * @param why a sentence
     */
    public record ExplainedDecision(
            @Nullable Boolean allowed,
            @Nullable String rule,
            @Nullable String limit,
            @Nullable Long retryAfterMs,
            String why) {}
}
