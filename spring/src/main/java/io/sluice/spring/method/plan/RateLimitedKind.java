package io.sluice.spring.method.plan;

import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.Spans;
import io.sluice.spring.RateLimited;
import io.sluice.spring.method.expression.CallExpression;
import io.sluice.spring.method.expression.Variable;
import io.sluice.spring.named.DefaultRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/** Reads {@link RateLimited}. */
public final class RateLimitedKind implements AnnotationKind<RateLimited> {

    private static final List<String> OF_A_LIMIT =
            List.of("rate", "burst", "limit", "window", "algorithm", "capacity", "ttl");

    private final UnaryOperator<String> placeholders;
    private final DefaultRules defaults;

    /**
     * Creates the reader.
     *
     * @param placeholders resolves {@code ${placeholders}} of the environment
     * @param defaults the rules for names without a rule
     */
    public RateLimitedKind(UnaryOperator<String> placeholders, DefaultRules defaults) {
        this.placeholders = placeholders;
        this.defaults = defaults;
    }

    @Override
    public Class<RateLimited> type() {
        return RateLimited.class;
    }

    @Override
    public PlannedLimit.Parts read(MergedAnnotation<RateLimited> annotation, AnnotatedMethod method) {
        Map<String, Variable> variables = Variable.of(method.method());
        String rule = text(annotation, "rule");
        String key = annotation.getString("key");
        String permits = annotation.getString("permits").trim();
        boolean always = !permits.isEmpty() && permits.chars().allMatch(Character::isDigit);
        String id = text(annotation, "id");
        InlineRule inline = inline(annotation, id.isEmpty() ? method.id() : id);
        if (!rule.isEmpty()) {
            refuseBesideRule(annotation);
        } else if (!inline.hasLimit()) {
            throw new IllegalArgumentException(
                    "rule: none (expected: the id of a rule, or a limit such as rate = \"50/s\")");
        }
        String condition = annotation.getString("condition");
        String settle = annotation.getString("settle");
        String fallback = annotation.getString("fallback");
        Rule own =
                rule.isEmpty() ? inline.limit("by", key.isEmpty() ? "" : "key").read() : defaults.of(rule);
        if (rule.isEmpty() && own != null && !settle.isEmpty()) {
            SettledFigure.check(settle, own);
        }
        return new PlannedLimit.Parts(
                method.where(RateLimited.class),
                rule.isEmpty() ? id.isEmpty() ? method.id() : id : rule,
                own,
                key.isEmpty() ? null : CallExpression.parse("key", key, variables),
                always ? constant(permits) : 1,
                always ? null : CallExpression.parse("permits", permits, variables),
                settle.isEmpty() ? null : SettledFigure.parse(settle, method.method()),
                condition.isEmpty() ? null : CallExpression.parse("condition", condition, variables),
                fallback.isEmpty() ? null : Fallback.find(fallback, method.method(), method.type()),
                maxWait(text(annotation, "maxWait")));
    }

    private InlineRule inline(MergedAnnotation<RateLimited> annotation, String id) {
        InlineRule rule = new InlineRule(id)
                .rule("mode", text(annotation, "mode"))
                .rule("on_failure", text(annotation, "onFailure"));
        OF_A_LIMIT.forEach(name -> rule.limit(name, text(annotation, name)));
        return rule;
    }

    private void refuseBesideRule(MergedAnnotation<RateLimited> annotation) {
        List<String> own = new ArrayList<>(OF_A_LIMIT);
        own.addAll(List.of("id", "mode", "onFailure"));
        for (String name : own) {
            if (!annotation.getString(name).isEmpty()) {
                throw new IllegalArgumentException(name + ": " + annotation.getString(name)
                        + " together with rule (expected: either a rule or a limit written here)");
            }
        }
    }

    private String text(MergedAnnotation<?> annotation, String name) {
        String text = annotation.getString(name);
        try {
            return text.contains("${") ? placeholders.apply(text) : text;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    name + ": " + text + " (expected: placeholders that resolve; " + e.getMessage() + ")", e);
        }
    }

    private static long constant(String permits) {
        try {
            return PlannedLimit.checked(Long.parseLong(permits));
        } catch (NumberFormatException e) {
            return PlannedLimit.checked(Long.MAX_VALUE);
        }
    }

    private static @Nullable Duration maxWait(String text) {
        if (text.isEmpty()) {
            return null;
        }
        return text.equals("0") ? Duration.ZERO : Spans.of("maxWait", text, Duration.ofNanos(1_000), Spans.LONGEST);
    }
}
