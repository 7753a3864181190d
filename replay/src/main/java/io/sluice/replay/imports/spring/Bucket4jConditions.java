package io.sluice.replay.imports.spring;

import io.sluice.replay.imports.draft.PathScope;
import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.replay.imports.draft.Section;
import io.sluice.replay.imports.draft.SimpleRegex;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Limits a rule to the requests that a rate limit of bucket4j-spring-boot-starter applies to: the URL of its filter, its conditions and its
 * predicates, all of which have to hold. If a rule cannot express a condition, it becomes a shadow rule. Not thread-safe.
 */
final class Bucket4jConditions {

    private static final Pattern EQUALS =
            Pattern.compile("(.+?)(?:\\s*==\\s*|\\s+eq\\s+|\\.equals\\(\\s*)['\"]([^'\"]{1,200})['\"]\\s*\\)?");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,100}");
    private static final Set<List<String>> EVERY_PATH = Set.of(List.of("*"), List.of("/*"));

    private final RuleDraft rule;
    private final Set<String> said = new HashSet<>();

    private Bucket4jConditions(RuleDraft rule) {
        this.rule = rule;
    }

    static void apply(String url, Section limit, RuleDraft rule) {
        Bucket4jConditions conditions = new Bucket4jConditions(rule);
        List<String> paths = new ArrayList<>();
        for (YamlValue value : limit.items("execute-predicates")) {
            String text = text(value);
            if (text.startsWith("PATH=")) {
                paths.add(text);
            } else if (!conditions.predicate(text)) {
                conditions.unsaid("execute-predicates", text);
            }
        }
        conditions.paths(url, paths);
        limit.text("execute-condition")
                .filter(text -> !conditions.condition(text))
                .ifPresent(text -> conditions.unsaid("execute-condition", text));
        limit.text("post-execute-condition").ifPresent(text -> conditions.unsaid("post-execute-condition", text));
        for (YamlValue value : limit.items("skip-predicates")) {
            conditions.unsaid("skip-predicates", text(value));
        }
    }

    /** Returns the text of a predicate. */
    private static String text(YamlValue value) {
        return value instanceof YamlScalar scalar ? scalar.text() : value.shown();
    }

    /** Returns the value of the limit's only attribute for which the condition skips the limit. */
    static Optional<String> skippedCaller(String expression, List<String> by) {
        Matcher equals = EQUALS.matcher(expression.strip());
        return equals.matches()
                        && by.size() == 1
                        && SpringKeys.ofExpression(equals.group(1))
                                .filter(by::equals)
                                .isPresent()
                ? Optional.of(equals.group(2))
                : Optional.empty();
    }

    void unsaid(String key, String text) {
        unsaid(key, text, rule);
    }

    static void unsaid(String key, String text, RuleDraft rule) {
        rule.shadow()
                .warn(
                        key + ": " + PrintableText.text(text)
                                + " cannot be said by a rule; the rule is in shadow and counts requests that the original does not");
    }

    private void paths(String url, List<String> predicates) {
        boolean every =
                SimpleRegex.patterns(url, true).filter(EVERY_PATH::contains).isPresent();
        boolean plain = predicates.stream().noneMatch(text -> text.contains(":"));
        if (predicates.size() == 1 && every && plain) {
            PathScope paths = new PathScope();
            values(predicates.get(0)).forEach(path -> paths.segments(path.replaceFirst("/\\{\\*[^/}]*}$", "/**")));
            paths.applyTo(rule);
            return;
        }
        new PathScope().regex(url, true).applyTo(rule);
        predicates.forEach(text -> unsaid("execute-predicates", text));
    }

    private static List<String> values(String predicate) {
        return Arrays.stream(predicate.substring(predicate.indexOf('=') + 1).split(",", -1))
                .map(String::strip)
                .toList();
    }

    private boolean predicate(String text) {
        List<String> values = values(text);
        if (text.startsWith("METHOD=")) {
            return methods(values);
        }
        if (!NAME.matcher(values.get(0)).matches() || values.size() > 2) {
            return false;
        }
        if (text.startsWith("QUERY=")) {
            return values.size() == 1 && match("query." + values.get(0), List.of("*"));
        }
        if (!text.startsWith("HEADER=")) {
            return false;
        }
        Optional<List<String>> patterns =
                values.size() == 1 ? Optional.of(List.of("*")) : SimpleRegex.patterns(values.get(1), true);
        return patterns.isPresent() && match("header." + values.get(0).toLowerCase(Locale.ROOT), patterns.get());
    }

    private boolean condition(String expression) {
        String text = expression.strip();
        if (text.isEmpty() || text.equals("1==1") || text.equals("true")) {
            return true;
        }
        Matcher equals = EQUALS.matcher(text);
        Optional<List<String>> attribute =
                equals.matches() ? SpringKeys.ofExpression(equals.group(1)) : Optional.empty();
        if (attribute.isEmpty() || attribute.get().size() != 1) {
            return false;
        }
        String name = attribute.get().get(0);
        if (name.equals("method")) {
            return methods(List.of(equals.group(2)));
        }
        return !name.equals("path") && match(name, List.of(SimpleRegex.literal(equals.group(2))));
    }

    /** Adds the methods. Each attribute can have only one condition. */
    private boolean methods(List<String> methods) {
        if (!said.add("method")) {
            return false;
        }
        List<String> upper =
                methods.stream().map(method -> method.toUpperCase(Locale.ROOT)).toList();
        if (upper.contains("GET") && !upper.contains("HEAD")) {
            rule.warn("method: GET also covers HEAD here, so requests with HEAD take permits, too");
        }
        rule.methods(upper);
        return true;
    }

    private boolean match(String attribute, List<String> patterns) {
        if (!said.add(attribute)) {
            return false;
        }
        rule.match(attribute, patterns);
        return true;
    }
}
