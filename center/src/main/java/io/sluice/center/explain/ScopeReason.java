package io.sluice.center.explain;

import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a rule applies to a request, or why it does not. Immutable.
 *
 * @param failed the number of conditions that do not hold; 0 if the rule applies
 * @param why a sentence
 */
record ScopeReason(int failed, String why) {

    private static final int LONGEST_VALUE = 80;
    private static final int MOST_VALUES = 5;

    static ScopeReason of(Rule rule, Attributes request) {
        List<String> held = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        if (!rule.enabled()) {
            failed.add("the rule is disabled");
        }
        if (rule.use() == RuleUse.CODE) {
            failed.add("the rule is for code, so it applies only where code names it");
        }
        rule.protocol().ifPresent(protocol -> failed.add("the rule is for descriptors (" + protocol.key() + ")"));
        Scope scope = rule.scope();
        String service = scope.service();
        if (service != null) {
            note("service", request, service.equals(request.get("service")), service, held, failed);
        }
        PathPattern resource = scope.resource();
        if (resource != null) {
            boolean holds = request.inAnyReading(each -> {
                String path = each.get("path");
                return path != null && resource.matches(path);
            });
            note("path", request, holds, resource.toString(), held, failed);
        }
        if (!scope.methods().isEmpty()) {
            String method = request.get("method");
            boolean holds = method != null && Scope.meant(scope.methods()).contains(method.toUpperCase(Locale.ROOT));
            note(
                    "method",
                    request,
                    holds,
                    several(scope.methods().stream().sorted().toList()),
                    held,
                    failed);
        }
        for (Condition condition : scope.match().values()) {
            String name = condition.attribute();
            boolean holds = request.inAnyReading(each -> condition.matches(each.get(name)));
            note(name, request, holds, several(condition.texts()), held, failed);
        }
        if (!failed.isEmpty()) {
            return new ScopeReason(failed.size(), String.join("; ", failed));
        }
        return new ScopeReason(0, held.isEmpty() ? "it applies to every request" : String.join("; ", held));
    }

    private static void note(
            String name, Attributes request, boolean holds, String expected, List<String> held, List<String> failed) {
        @Nullable String value = request.get(name);
        if (holds && value != null) {
            String shown = cut(value);
            held.add(shown.equals(expected) ? name + " is " + shown : name + " is " + shown + ", as in " + expected);
        } else {
            failed.add(name + " is " + (value == null ? "missing" : cut(value)) + " (expected: " + expected + ")");
        }
    }

    private static String several(List<String> values) {
        List<String> some =
                values.stream().limit(MOST_VALUES).map(ScopeReason::cut).toList();
        int more = values.size() - some.size();
        return String.join(" or ", some) + (more > 0 ? " or " + more + " more" : "");
    }

    private static String cut(String value) {
        return value.length() <= LONGEST_VALUE
                ? value
                : value.substring(0, value.offsetByCodePoints(0, LONGEST_VALUE / 2)) + "…";
    }
}
