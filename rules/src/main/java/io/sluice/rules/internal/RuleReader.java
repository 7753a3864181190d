package io.sluice.rules.internal;

import io.sluice.core.Limiter;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.About;
import io.sluice.rules.Action;
import io.sluice.rules.Handling;
import io.sluice.rules.Lease;
import io.sluice.rules.Mode;
import io.sluice.rules.PathPattern;
import io.sluice.rules.Rule;
import io.sluice.rules.RuleLimit;
import io.sluice.rules.Scope;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.Shown;
import io.sluice.rules.yaml.YamlReader;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/** Makes rules of a document. What the language has and the program does not yet is refused, never passed over. */
public final class RuleReader {

    private static final List<String> READ = List.of(
            "id",
            "name",
            "enabled",
            "service",
            "resource",
            "methods",
            "mode",
            "on_failure",
            "local_share",
            "deadline",
            "limits");

    /** What is not built yet, with the value that says no more than leaving it out; empty if there is none. */
    private static final Map<String, String> NOT_YET = notYet();

    private static final List<String> KNOWN = known();
    private static final Duration LONGEST_DEADLINE = Duration.ofMinutes(1);
    private static final Map<String, Mode> MODES = modes();
    private static final Map<String, FailurePolicy> POLICIES = policies();

    private final Errors errors;
    private final Map<String, Place> ids = new HashMap<>();

    private RuleReader(Errors errors) {
        this.errors = errors;
    }

    /** The rules of a document; to be used only if it added no errors. */
    public static List<Rule> read(String file, String text, Errors errors) {
        RuleReader reader = new RuleReader(errors);
        return YamlReader.read(file, text, errors)
                .flatMap(root -> Fields.of("document", root, List.of("rules"), errors))
                .map(reader::rules)
                .orElse(List.of());
    }

    private List<Rule> rules(Fields document) {
        if (!document.has("rules")) {
            document.error("rules", "rules: missing (expected: a list of rules, [] for none)");
        }
        List<Rule> rules = new ArrayList<>();
        for (YamlValue item : document.list("rules").orElse(List.of())) {
            Fields.of("rule", item, KNOWN, errors).map(this::rule).ifPresent(rules::add);
        }
        return rules;
    }

    private Rule rule(Fields fields) {
        refuseNotYet(fields, NOT_YET);
        String id = id(fields);
        return new Rule(
                id,
                fields.flag("enabled").orElse(true),
                Action.LIMIT,
                scope(fields),
                false,
                limits(id, fields),
                List.of(),
                List.of(),
                new Handling(
                        fields.choice("mode", MODES).orElse(Mode.DISTRIBUTED),
                        Lease.DEFAULT,
                        fields.choice("on_failure", POLICIES).orElse(FailurePolicy.LOCAL),
                        fields.share("local_share").map(OptionalDouble::of).orElse(OptionalDouble.empty()),
                        fields.read("deadline", text -> Quantities.span("deadline", text, LONGEST_DEADLINE))
                                .orElse(Limiter.DEFAULT_DEADLINE),
                        OptionalDouble.empty()),
                new About(fields.text("name"), Optional.empty(), false, Optional.empty(), Map.of()));
    }

    static void refuseNotYet(Fields fields, Map<String, String> notYet) {
        notYet.forEach((key, harmless) -> {
            boolean means = fields.value(key)
                    .filter(value ->
                            !(value instanceof YamlScalar word) || !word.text().equals(harmless))
                    .isPresent();
            if (means) {
                String instead = harmless.isEmpty() ? "no " + key : key + ": " + harmless;
                fields.refuseKey(key, key + ": not supported yet (expected: " + instead + ")");
            }
        });
    }

    private String id(Fields fields) {
        String expected = " (expected: 1 to 128 letters, digits, '-', '_', '.')";
        if (!fields.has("id")) {
            fields.error("id", "id: missing" + expected);
            return "missing";
        }
        String id = fields.text("id").orElse("missing");
        if (!id.matches("[A-Za-z0-9._-]{1,128}")) {
            fields.error("id", "id: " + Shown.text(id) + expected);
            return "missing";
        }
        Place other = ids.putIfAbsent(id, fields.place("id"));
        if (other != null) {
            fields.error("id", "id: " + id + " (expected: another id, line " + other.line() + " has this one)");
        }
        return id;
    }

    private Scope scope(Fields fields) {
        Optional<String> service = fields.text("service");
        if (service.filter(String::isBlank).isPresent()) {
            fields.error("service", "service: empty (expected: a service, or no service for every one)");
        }
        Set<String> methods = new LinkedHashSet<>();
        for (YamlScalar word : fields.words("methods").orElse(List.of())) {
            if (!word.text().matches("[A-Za-z]{1,32}")) {
                errors.add(word.place(), "methods: " + word.shown() + " (expected: letters, such as GET)");
            }
            methods.add(word.text().toUpperCase(Locale.ROOT));
        }
        return new Scope(
                service.orElse(null), fields.read("resource", PathPattern::of).orElse(null), methods, Map.of());
    }

    private List<RuleLimit> limits(String rule, Fields fields) {
        Optional<List<YamlValue>> items = fields.list("limits");
        if (!fields.has("limits") || items.filter(List::isEmpty).isPresent()) {
            fields.error("limits", "limits: none (expected: at least one limit)");
        }
        LimitReader reader = new LimitReader(rule, errors);
        items.orElse(List.of()).forEach(reader::read);
        return reader.limits();
    }

    private static Map<String, String> notYet() {
        Map<String, String> notYet = new LinkedHashMap<>();
        notYet.put("action", "limit");
        notYet.put("protected", "false");
        notYet.put("shadow", "false");
        for (String key : List.of("tenant", "candidate", "lease", "guard", "match", "overrides", "message", "labels")) {
            notYet.put(key, "");
        }
        // The founding shape.
        for (String key : List.of("dimensions", "algorithm", "rate", "burst")) {
            notYet.put(key, "");
        }
        return notYet;
    }

    private static List<String> known() {
        List<String> known = new ArrayList<>(READ);
        known.addAll(NOT_YET.keySet());
        return known;
    }

    private static Map<String, Mode> modes() {
        Map<String, Mode> modes = new LinkedHashMap<>();
        for (Mode mode : Mode.values()) {
            modes.put(mode.word(), mode);
        }
        return modes;
    }

    private static Map<String, FailurePolicy> policies() {
        Map<String, FailurePolicy> policies = new LinkedHashMap<>();
        policies.put("local", FailurePolicy.LOCAL);
        policies.put("open", FailurePolicy.OPEN);
        policies.put("closed", FailurePolicy.CLOSED);
        return policies;
    }
}
