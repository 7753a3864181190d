package io.sluice.replay.imports.nginx;

import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.rules.yaml.PrintableText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The key of a zone, translated to attributes. A key may be a variable that a {@code map} or a {@code geo} defines; callers for whom it is
 * empty are not limited. Not thread-safe.
 */
final class NginxKey {

    private static final int MOST_STEPS = 5;

    private final List<String> by = new ArrayList<>();
    private final Map<String, List<String>> exempt = new LinkedHashMap<>();
    private final List<String> unsaid = new ArrayList<>();

    private NginxKey() {}

    /** Translates a key with the variables of the {@code http} block. */
    static NginxKey of(String key, Directive http) {
        NginxKey found = new NginxKey();
        for (String part : parts(key)) {
            found.add(part, http, 0);
        }
        return found;
    }

    /** Returns the attributes to count by; empty if the key is the same for all callers. */
    List<String> by() {
        return by;
    }

    /** Returns the callers without a limit, by attribute. */
    Map<String, List<String>> exempt() {
        return exempt;
    }

    private static List<String> parts(String key) {
        List<String> parts = new ArrayList<>();
        for (String part : key.replace("${", "$").replace("}", "").split("\\$", -1)) {
            String name = part.replaceAll("[^A-Za-z0-9_].*", "");
            if (!name.isEmpty()) {
                parts.add(name);
            }
        }
        return parts;
    }

    private void add(String variable, Directive http, int step) {
        Optional<String> attribute = attribute(variable);
        if (attribute.isPresent()) {
            by.add(attribute.get());
            return;
        }
        Optional<Directive> map = http.all("map").stream()
                .filter(each -> each.argument(1).equals("$" + variable))
                .findFirst();
        if (map.isEmpty() || step >= MOST_STEPS) {
            unsaid.add("$" + variable);
            return;
        }
        Map<String, List<String>> inputs = inputs(map.get(), http);
        String otherwise = value(map.get(), "default").orElse("");
        String counted = otherwise;
        for (Directive entry : map.get().block()) {
            if (!isValue(entry)) {
                continue;
            }
            if (entry.argument(0).isEmpty()) {
                exempt(map.get(), entry.name(), inputs);
            } else if (counted.isEmpty() || counted.equals(entry.argument(0))) {
                counted = entry.argument(0);
            } else {
                unsaid.add("the several keys of $" + variable);
            }
        }
        if (counted.isEmpty() || (otherwise.isEmpty() && inputs.isEmpty())) {
            unsaid.add("$" + variable);
        }
        for (String part : parts(counted)) {
            add(part, http, step + 1);
        }
    }

    /** Exempts the callers whose source variable of a map has this value. */
    private void exempt(Directive map, String value, Map<String, List<String>> inputs) {
        List<String> networks = inputs.get(value);
        String source = parts(map.argument(0)).stream().findFirst().orElse("");
        Optional<String> attribute = attribute(source);
        if (networks != null) {
            exempt.computeIfAbsent("ip", any -> new ArrayList<>()).addAll(networks);
        } else if (attribute.isPresent() && !value.startsWith("~") && !value.isEmpty()) {
            exempt.computeIfAbsent(attribute.get(), any -> new ArrayList<>()).add(value);
        } else if (!(attribute.isPresent() && value.isEmpty())) {
            unsaid.add("$" + source + " " + value);
        }
    }

    /** Returns the networks behind each value of the {@code geo} that a map is made from; empty if there is none. */
    private static Map<String, List<String>> inputs(Directive map, Directive http) {
        Map<String, List<String>> inputs = new LinkedHashMap<>();
        for (Directive geo : http.all("geo")) {
            String name = geo.lastArgument();
            boolean ofAddress = geo.arguments().size() == 1 || geo.argument(0).equals("$remote_addr");
            if (name.equals(map.argument(0)) && ofAddress) {
                for (Directive entry : geo.block()) {
                    if (isValue(entry) && !entry.name().equals("ranges")) {
                        inputs.computeIfAbsent(entry.argument(0), any -> new ArrayList<>())
                                .add(entry.name());
                    }
                }
            }
        }
        return inputs;
    }

    private static boolean isValue(Directive entry) {
        return entry.arguments().size() == 1
                && !entry.name().equals("default")
                && !entry.name().equals("proxy")
                && !entry.name().equals("delete");
    }

    private static Optional<String> value(Directive map, String name) {
        return map.all(name).stream().map(entry -> entry.argument(0)).findFirst();
    }

    private static Optional<String> attribute(String variable) {
        return switch (variable) {
            case "binary_remote_addr", "remote_addr", "realip_remote_addr" -> Optional.of("ip");
            case "host", "http_host" -> Optional.of("header.host");
            case "uri", "document_uri" -> Optional.of("path");
            case "request_method" -> Optional.of("method");
            case "remote_user" -> Optional.of("user");
            default ->
                variable.startsWith("http_") && variable.length() > 5
                        ? Optional.of("header." + variable.substring(5).replace('_', '-'))
                        : variable.startsWith("arg_") && variable.length() > 4
                                ? Optional.of("query." + variable.substring(4))
                                : Optional.empty();
        };
    }

    /** Adds warnings to a rule about the parts that could not be translated. */
    void warn(RuleDraft rule) {
        if (!unsaid.isEmpty()) {
            rule.shadow()
                    .warn("key: " + PrintableText.text(String.join(", ", unsaid))
                            + " cannot be said; the rule is in shadow and counts "
                            + (by.isEmpty() ? "all callers together" : "by the rest of the key")
                            + ": set by, then remove shadow");
        }
    }
}
