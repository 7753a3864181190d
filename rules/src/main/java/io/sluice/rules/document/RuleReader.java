package io.sluice.rules.document;

import io.sluice.rules.model.Action;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.ProtocolScope;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.ItemHandler;
import io.sluice.rules.yaml.YamlReader;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the rules of a document. */
final class RuleReader {

    static final int MOST_LIMITS = 100;
    static final int MOST_OVERRIDES = 300_000;

    private static final int LONGEST_METHOD = 32;
    private static final String RULES = "rules";

    private final Errors errors;
    private final RuleIds ids;
    private final List<Rule> rules = new ArrayList<>();

    private RuleReader(Errors errors, RuleIds ids) {
        this.errors = errors;
        this.ids = ids;
    }

    /**
     * Returns the rules of a document. They may be used only if no errors were added.
     *
     * @param ids the ids of the set's documents read so far
     */
    public static List<Rule> read(String text, RuleIds ids, Errors errors) {
        RuleReader reader = new RuleReader(errors, ids);
        return errors.within(() -> reader.document(text)).orElse(List.of());
    }

    /** Reads a document that is a single rule. Returns a list with that rule, or an empty list. */
    public static List<Rule> readOne(String text, Errors errors) {
        RuleReader reader = new RuleReader(errors, new RuleIds());
        return errors.within(() -> {
                    YamlReader.read(errors.file(), text, errors).ifPresent(reader::take);
                    return reader.rules;
                })
                .orElse(List.of());
    }

    /** Takes most rules while the document is being parsed, and the remaining rules from its tree. */
    private List<Rule> document(String text) {
        YamlReader.read(errors.file(), text, errors, new ItemHandler(RULES, this::take))
                .ifPresent(this::takeRest);
        return rules;
    }

    private void takeRest(YamlValue root) {
        if (root instanceof YamlList list) {
            list.items().forEach(this::take);
            return;
        }
        Optional<RuleDialect> dialect = Dialects.of(root);
        if (dialect.isPresent()) {
            dialect.get().read(root, errors).forEach(this::take);
            return;
        }
        Optional<Fields> document = Fields.of("document", root, DocumentKeys.DOCUMENT, errors);
        document.filter(fields -> !fields.has(RULES))
                .ifPresent(fields -> fields.error(RULES, "rules: missing (expected: a list of rules, [] for none)"));
        document.ifPresent(this::declare);
        document.flatMap(fields -> fields.list(RULES)).ifPresent(items -> items.forEach(this::take));
    }

    private void declare(Fields document) {
        for (YamlValue name : document.list("attributes").orElse(List.of())) {
            ByReader.attribute("attributes", name, errors).ifPresent(errors.warnings()::declare);
        }
    }

    /** Adds a rule if it has no error. Returns whether it was added. */
    private boolean take(YamlValue item) {
        Optional<Fields> fields = Fields.of("rule", item, DocumentKeys.RULE, DocumentKeys.NOT_IN_RULE, errors);
        Rule rule = fields.isEmpty() ? null : rule(fields.get());
        if (rule != null) {
            rules.add(rule);
        }
        return rule != null;
    }

    private void take(RuleDialect.Placed placed) {
        ids.claim(placed, errors);
        rules.add(placed.rule());
    }

    /** Returns the rule, or null if it has an error. */
    private @Nullable Rule rule(Fields fields) {
        long before = errors.count();
        String id = ids.of(fields);
        Action action = fields.choice("action", DocumentWords.ACTIONS).orElse(Action.LIMIT);
        RuleUse use = fields.choice("for", DocumentWords.USES).orElse(RuleUse.REQUESTS);
        boolean enabled = fields.flag("enabled").orElse(true);
        boolean shadow = fields.flag("shadow").orElse(false);
        Scope scope = scope(fields);
        Optional<ProtocolScope> protocol = ProtocolScopes.read(fields, action, errors);
        Handling handling = HandlingReader.read(fields);
        RuleDescription about = new DescriptionReader(errors).read(fields);
        LimitReader limits = new LimitReader(id, false, errors);
        LimitReader candidate = new LimitReader(id, true, errors);
        List<LimitOverride> overrides = List.of();
        if (action == Action.LIMIT) {
            readLimits(fields, limits);
            for (YamlValue each : items(fields, "candidate", MOST_LIMITS)) {
                candidate.read(each);
            }
            overrides = overrides(fields, limits);
            refuseLocal(fields, handling, limits, candidate);
            if (protocol.isPresent() || isOfDescriptors(scope.match().keySet())) {
                limits.warnOfDescriptors();
                candidate.warnOfDescriptors();
            }
        } else {
            refuseBeside(action, shadow, fields);
        }
        check(use, action, fields);
        return errors.count() == before
                ? new Rule(
                        id,
                        enabled,
                        action,
                        scope,
                        shadow,
                        limits.limits(),
                        candidate.limits(),
                        overrides,
                        handling,
                        use,
                        about,
                        protocol)
                : null;
    }

    private void check(RuleUse use, Action action, Fields fields) {
        if (use != RuleUse.REQUESTS && fields.hasAny(DocumentKeys.PROTOCOLS)) {
            fields.error("for", "for: " + use.word() + " in a rule for descriptors (expected: requests)");
        }
        if (use == RuleUse.EARLY) {
            new EarlyRuleCheck(fields, errors).check(action);
        }
    }

    private Scope scope(Fields fields) {
        Optional<String> service = DescriptionReader.plain(fields, "service", DescriptionReader.LONGEST_NAME);
        Optional<PathPattern> resource = fields.read("resource", PathPattern::of);
        if (resource.isPresent()) {
            Plausibility.resource(resource.get().toString(), fields.place("resource"), errors);
        }
        Set<String> methods = methods(fields);
        Map<String, Condition> match = new ConditionReader("match", errors).read(fields);
        refuseTwice(fields, match, "service", "service");
        refuseTwice(fields, match, "resource", "path");
        refuseTwice(fields, match, "methods", "method");
        return new Scope(service.orElse(null), resource.orElse(null), methods, match);
    }

    private Set<String> methods(Fields fields) {
        if (!fields.has("methods")) {
            return Set.of();
        }
        Set<String> methods = new LinkedHashSet<>();
        for (YamlScalar word : fields.words("methods").orElse(List.of())) {
            if (word.text().length() > LONGEST_METHOD || !isWord(word.text())) {
                errors.add(word.place(), "methods: " + word.shown() + " (expected: a method name such as GET)");
            } else {
                Plausibility.method("methods", word.text(), word.place(), errors);
            }
            methods.add(word.text().toUpperCase(Locale.ROOT));
        }
        return methods;
    }

    private static void refuseTwice(Fields fields, Map<String, Condition> match, String key, String attribute) {
        if (fields.has(key) && match.containsKey(attribute)) {
            fields.error("match", "match: " + attribute + " set together with " + key + " (expected: one of the two)");
        }
    }

    private void readLimits(Fields fields, LimitReader limits) {
        if (FoundingShape.isMeant(fields)) {
            if (FoundingShape.hasOwnLimit(fields)) {
                limits.readRule(fields);
            }
            items(fields, "dimensions", MOST_LIMITS - 1).forEach(limits::readDimension);
        } else {
            FoundingShape.refuseBesideLimits(fields);
            for (YamlValue each : items(fields, "limits", MOST_LIMITS)) {
                limits.read(each);
            }
        }
        if (limits.read().isEmpty()) {
            boolean unreadable = fields.has("limits")
                    && fields.value("limits").filter(YamlList.class::isInstance).isEmpty();
            if (!unreadable) {
                fields.error("limits", "limits: none (expected: at least one limit)");
            }
        }
    }

    private List<LimitOverride> overrides(Fields fields, LimitReader limits) {
        if (!fields.has("overrides")) {
            return List.of();
        }
        OverrideReader reader = new OverrideReader(limits.read(), errors);
        items(fields, "overrides", MOST_OVERRIDES).forEach(reader::read);
        return reader.overrides();
    }

    private static void refuseLocal(Fields fields, Handling handling, LimitReader limits, LimitReader candidate) {
        if (handling.mode() == Mode.LOCAL
                && Stream.concat(limits.limits().stream(), candidate.limits().stream())
                        .anyMatch(RuleLimit::durable)) {
            fields.error(
                    "mode",
                    "mode: local with a durable limit"
                            + " (expected: distributed or local_distributed; counts of one process are not durable)");
        }
    }

    /** Returns whether one of the attributes exists only in Envoy's rate limit protocol. */
    private static boolean isOfDescriptors(Set<String> attributes) {
        for (String attribute : attributes) {
            if (attribute.equals("domain") || attribute.startsWith("descriptor.")) {
                return true;
            }
        }
        return false;
    }

    private List<YamlValue> items(Fields fields, String key, int most) {
        List<YamlValue> items = fields.list(key).orElse(List.of());
        if (items.size() > most) {
            fields.error(key, key + ": " + items.size() + " entries (expected: at most " + most + ")");
            return items.subList(0, most);
        }
        return items;
    }

    /**
     * Refuses the keys for counting in a rule that exempts or denies. The requests of such a rule are not counted, so these
     * keys have no meaning.
     */
    private static void refuseBeside(Action action, boolean shadow, Fields fields) {
        Set<String> counting = new LinkedHashSet<>(DocumentKeys.HANDLING);
        counting.addAll(DocumentKeys.FOUNDING);
        for (String key : List.of("limits", "candidate", "overrides")) {
            if (fields.list(key).filter(List::isEmpty).isEmpty()) {
                counting.add(key);
            }
        }
        for (String key : counting) {
            if (fields.has(key)) {
                fields.refuseKey(
                        key,
                        key + ": not allowed with action " + action.word()
                                + " (expected: none; such a rule counts nothing)");
            }
        }
        if (shadow) {
            fields.refuseKey("shadow", "shadow: not allowed with action " + action.word() + " (expected: false)");
        }
    }

    /** Returns whether a text consists of letters and hyphens. */
    private static boolean isWord(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-')) {
                return false;
            }
        }
        return true;
    }
}
