package io.sluice.rules.adjust;

import io.sluice.core.limit.Limit;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Glob;
import io.sluice.rules.snapshot.KeyedNumbers;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.rules.yaml.PrintableText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A rule set with adjustments applied. An adjustment that does not fit the rules, because they have changed since, is left out;
 * all others apply. Immutable.
 *
 * @param problems sentences about adjustments that were left out
 * @param until the time at which the first switch expires, so that the set must be built again; empty if no switch expires. Numbers of
 *     callers expire by themselves
 */
public record AdjustedRules(RuleSet rules, List<String> problems, Optional<Instant> until) {

    public AdjustedRules {
        problems = List.copyOf(problems);
    }

    /** Applies adjustments that have not expired. */
    public static AdjustedRules of(RuleSet set, Adjustments adjustments, Instant now) {
        List<ShadowSwitch> switches = adjustments.switches().stream()
                .filter(each -> now.isBefore(each.until()))
                .toList();
        List<CallerOverride> overrides = adjustments.overrides().stream()
                .filter(each -> now.isBefore(each.until()))
                .toList();
        if (switches.isEmpty() && overrides.isEmpty()) {
            RuleSet plain = set.adjustments() == adjustments.revision()
                    ? set
                    : set.adjusted(adjustments.revision(), set.rules(), Map.of());
            return new AdjustedRules(plain, List.of(), Optional.empty());
        }
        Fitting fitting = new Fitting(set);
        switches.stream()
                .filter(each -> each.rule().isPresent())
                .forEach(each -> fitting.require(each.id(), each.rule().get()));
        overrides.forEach(fitting::add);
        List<Rule> effective = set.rules().stream()
                .map(rule -> inShadow(fitting.overridden(rule), switches))
                .toList();
        return new AdjustedRules(
                set.adjusted(adjustments.revision(), effective, fitting.keyed),
                fitting.problems,
                switches.stream().map(ShadowSwitch::until).min(Instant::compareTo));
    }

    /** Returns the reason why an override does not fit the rules; empty if it fits. */
    public static Optional<String> fault(RuleSet set, CallerOverride override) {
        Fitting fitting = new Fitting(set);
        fitting.add(override);
        return fitting.problems.stream().findFirst().map(text -> text.substring(text.indexOf(": ") + 2));
    }

    private static Rule inShadow(Rule rule, List<ShadowSwitch> switches) {
        boolean covered = switches.stream().anyMatch(each -> each.covers(rule.id()));
        boolean named = switches.stream()
                .anyMatch(each -> each.rule().filter(rule.id()::equals).isPresent());
        return switch (rule.action()) {
            case LIMIT -> covered ? with(rule, rule.enabled(), true, rule.overrides()) : rule;
            case DENY -> named ? with(rule, false, false, rule.overrides()) : rule;
            case EXEMPT -> rule;
        };
    }

    private static Rule with(Rule rule, boolean enabled, boolean shadow, List<LimitOverride> overrides) {
        return new Rule(
                rule.id(),
                enabled,
                rule.action(),
                rule.scope(),
                shadow,
                rule.limits(),
                rule.candidate(),
                overrides,
                rule.handling(),
                rule.use(),
                rule.about(),
                rule.protocol());
    }

    /** Finds the limits that adjustments name. */
    private static final class Fitting {

        private static final int MOST_CHARACTERS = 1_000;

        private final RuleSet set;
        private final Map<String, List<LimitOverride>> byValue = new HashMap<>();
        private final Map<String, List<KeyedNumbers>> keyed = new HashMap<>();
        private final List<String> problems = new ArrayList<>();

        Fitting(RuleSet set) {
            this.set = set;
        }

        Rule overridden(Rule rule) {
            List<LimitOverride> own = byValue.get(rule.id());
            return own == null
                    ? rule
                    : with(
                            rule,
                            rule.enabled(),
                            rule.shadow(),
                            Stream.concat(own.stream(), rule.overrides().stream())
                                    .toList());
        }

        Optional<Rule> require(String adjustment, String id) {
            Optional<Rule> rule =
                    set.rules().stream().filter(each -> each.id().equals(id)).findFirst();
            if (rule.isEmpty()) {
                problems.add(adjustment + ": rule: " + PrintableText.text(id) + " (expected: a rule in force)");
            }
            return rule;
        }

        void add(CallerOverride override) {
            require(override.id(), override.rule()).ifPresent(rule -> {
                try {
                    add(override, rule);
                } catch (IllegalArgumentException e) {
                    problems.add(override.id() + ": " + e.getMessage());
                }
            });
        }

        private void add(CallerOverride override, Rule rule) {
            int position = position(override, rule);
            RuleLimit limit = rule.limits().get(position);
            Limit numbers = numbers(override, rule, position);
            if (override.caller() instanceof Caller.ByHash by) {
                if (limit.by().isEmpty()) {
                    throw new IllegalArgumentException("hash: " + limit.id()
                            + " has one count for all (expected: a limit that counts by callers)");
                }
                keyed.computeIfAbsent(rule.id(), id -> new ArrayList<>())
                        .add(new KeyedNumbers(position, by.hash(), numbers, override.until()));
            } else if (override.caller() instanceof Caller.ByValue by) {
                byValue.computeIfAbsent(rule.id(), id -> new ArrayList<>())
                        .add(new LimitOverride(
                                Map.of(name(by, limit), condition(by)),
                                position,
                                numbers,
                                Optional.of(override.until())));
            }
        }

        private static int position(CallerOverride override, Rule rule) {
            List<String> ids = rule.limits().stream().map(RuleLimit::id).toList();
            int position = ids.indexOf(override.limit());
            if (position < 0) {
                throw new IllegalArgumentException("limit: " + PrintableText.text(override.limit()) + " (expected: "
                        + (rule.action() == Action.LIMIT ? String.join(" or ", ids) : "a rule with limits") + ")");
            }
            return position;
        }

        private static String name(Caller.ByValue by, RuleLimit limit) {
            String name = Attributes.normalisedName(by.attribute());
            List<String> counted = limit.by().stream()
                    .flatMap(each -> Stream.concat(Stream.of(each.attribute()), each.otherwise().stream()))
                    .toList();
            if (!counted.contains(name)) {
                throw new IllegalArgumentException("attribute: " + PrintableText.text(name) + " (expected: "
                        + (counted.isEmpty()
                                ? "a limit that counts by callers; " + limit.id() + " has one count for all"
                                : "what " + limit.id() + " counts by: " + String.join(", ", counted))
                        + ")");
            }
            return name;
        }

        private static Condition condition(Caller.ByValue by) {
            boolean address = Attributes.normalisedName(by.attribute()).equals("ip");
            return Condition.parse(by.attribute(), List.of(address ? by.value() : Glob.escaped(by.value())));
        }

        /** Reads the numbers as if this override were in a rule document. */
        private static Limit numbers(CallerOverride override, Rule rule, int position) {
            String bare = RuleJson.rule(with(rule, rule.enabled(), rule.shadow(), List.of()));
            String numbers = override.numbers().strip();
            if (JsonObject.parse(numbers, MOST_CHARACTERS).isEmpty()) {
                throw new IllegalArgumentException("numbers: none (expected: one or more, such as rate or limit)");
            }
            String text = bare.substring(0, bare.length() - 1)
                    + ",\"overrides\":[{\"when\":{\"ip\":\"192.0.2.1\"},\"of\":\"" + position + "\","
                    + numbers.substring(1) + "]}";
            RuleDocument document = RuleDocument.parseRule("override", text);
            if (document instanceof RuleDocument.Refused refused) {
                throw new IllegalArgumentException(message(refused.errors().get(0)));
            }
            Rule read = ((RuleDocument.Accepted) document).rules().get(0);
            LimitOverride only = read.overrides().get(0);
            if (only.keep().isPresent()) {
                throw new IllegalArgumentException(
                        "numbers: keep for one caller (expected: numbers such as rate or limit; keep is for an override of the rule)");
            }
            return only.numbers();
        }

        private static String message(DocumentError error) {
            return "numbers: " + error.message();
        }
    }
}
