package io.sluice.replay.imports.spring;

import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.PathScope;
import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.replay.imports.draft.Section;
import io.sluice.replay.imports.draft.SimpleRegex;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Translates the predicates of a route of Spring Cloud Gateway to the conditions of a rule. */
final class RoutePredicates {

    private RoutePredicates() {}

    static void apply(Section route, RuleDraft rule, DocumentDraft draft) {
        for (YamlValue item : route.items("predicates")) {
            if (item instanceof YamlScalar shortcut) {
                String text = shortcut.text();
                int equals = text.indexOf('=');
                String name = equals < 0 ? text : text.substring(0, equals);
                apply(name.strip(), values(equals < 0 ? "" : text.substring(equals + 1)), rule, draft, shortcut);
            } else {
                Section.relaxed(item, route.errors()).ifPresent(full -> {
                    List<String> values = new ArrayList<>();
                    full.section("args").ifPresent(arguments -> arguments.keys().forEach(key -> {
                        if (!key.text().toLowerCase(Locale.ROOT).startsWith("matchtrailing")) {
                            arguments.texts(key.text()).forEach(text -> values.addAll(values(text)));
                        }
                    }));
                    apply(full.text("name", ""), values, rule, draft, item);
                });
            }
        }
    }

    private static List<String> values(String text) {
        List<String> values = new ArrayList<>();
        for (String value : text.split(",", -1)) {
            if (!value.isBlank()) {
                values.add(value.strip());
            }
        }
        return values;
    }

    private static void apply(String name, List<String> values, RuleDraft rule, DocumentDraft draft, YamlValue item) {
        boolean said = !values.isEmpty();
        switch (name) {
            case "Path" -> {
                PathScope paths = new PathScope();
                values.stream()
                        .filter(each -> !each.equals("true") && !each.equals("false"))
                        .forEach(paths::segments);
                paths.applyTo(rule);
            }
            case "Method" -> rule.methods(values);
            case "Host" ->
                rule.match(
                        "header.host",
                        values.stream().map(RoutePredicates::host).toList());
            case "Header" -> said = valued("header." + first(values).toLowerCase(Locale.ROOT), values, rule);
            case "Query" -> said = valued("query." + first(values), values, rule);
            case "RemoteAddr", "XForwardedRemoteAddr" -> rule.match("ip", values);
            default -> said = false;
        }
        if (!said) {
            rule.shadow()
                    .warn(
                            draft.spot(item.place()),
                            "predicate: " + PrintableText.text(name)
                                    + " cannot be said; the rule is in shadow and counts all requests that its other"
                                    + " conditions match");
        }
    }

    private static String first(List<String> values) {
        return values.isEmpty() ? "" : values.get(0);
    }

    private static String host(String pattern) {
        return pattern.replace("**", "*").replaceAll("\\{[^}]*}", "*");
    }

    /** Adds the condition that a field is present or matches a regular expression. */
    private static boolean valued(String attribute, List<String> values, RuleDraft rule) {
        if (values.isEmpty() || values.size() > 2) {
            return false;
        }
        Optional<List<String>> patterns =
                values.size() == 1 ? Optional.of(List.of("*")) : SimpleRegex.patterns(values.get(1), true);
        patterns.ifPresent(found -> rule.match(attribute, found));
        return patterns.isPresent();
    }
}
