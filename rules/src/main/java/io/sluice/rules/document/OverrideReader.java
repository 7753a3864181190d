package io.sluice.rules.document;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.cost.Keep;
import io.sluice.rules.document.LimitReader.Built;
import io.sluice.rules.document.LimitReader.ReadLimit;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.yaml.Digits;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads the overrides of one rule. */
final class OverrideReader {

    private static final Map<String, String> REFUSED = refused();

    private final List<ReadLimit> limits;
    private final Errors errors;
    private final List<LimitOverride> overrides = new ArrayList<>();

    /**
     * Creates a reader for a rule with these limits. The list includes limits with errors, because overrides may refer to a limit
     * by its position.
     */
    OverrideReader(List<ReadLimit> limits, Errors errors) {
        this.limits = limits;
        this.errors = errors;
    }

    void read(YamlValue value) {
        Fields.of("override", value, DocumentKeys.OVERRIDE, REFUSED, errors).ifPresent(this::override);
    }

    List<LimitOverride> overrides() {
        return overrides;
    }

    private void override(Fields fields) {
        if (!fields.has("when")) {
            fields.error("when", "when: missing (expected: at least one condition, such as plan: vip)");
        }
        Map<String, Condition> when = new ConditionReader("when", errors).read(fields);
        Optional<Instant> until = fields.read("until", text -> Quantities.moment("until", text));
        OptionalInt of = of(fields);
        if (of.isPresent()) {
            limits.get(of.getAsInt())
                    .built()
                    .flatMap(built -> changed(fields, built))
                    .filter(changed -> !when.isEmpty())
                    .ifPresent(changed -> overrides.add(
                            new LimitOverride(when, of.getAsInt(), changed.numbers(), changed.keep(), until)));
        }
    }

    /** The changes by an override. */
    private record Changed(Limit numbers, Optional<Keep> keep) {}

    private Optional<Changed> changed(Fields fields, Built built) {
        long before = errors.count();
        Optional<Limit> numbers = numbers(fields, built);
        Optional<Keep> keep = keep(fields, built.limit().cost());
        numbers.ifPresent(limit -> {
            refuseTooMuch(fields, keep, limit);
            built.limit().cost().ifPresent(cost -> Plausibility.cost(cost, limit, fields.place(), errors));
        });
        return errors.count() == before ? numbers.map(limit -> new Changed(limit, keep)) : Optional.empty();
    }

    private static Optional<Keep> keep(Fields fields, Optional<Cost> cost) {
        if (fields.has("keep") && cost.filter(Cost.Always.class::isInstance).isPresent()) {
            fields.refuseKey("keep", "keep: of a limit with charge: always (expected: a limit that refuses requests)");
        }
        boolean quoted = fields.value("keep")
                .filter(value -> value instanceof YamlScalar text && text.quoted())
                .isPresent();
        return fields.read("keep", text -> Keep.parse(text)
                .filter(keep -> !quoted || keep instanceof Keep.Share)
                .orElseThrow(() -> Quantities.refused(
                        "keep",
                        text,
                        "a share from 0% to 100%, such as 20%, or a number of permits"
                                + (quoted ? ", without quotes" : ""))));
    }

    private void refuseTooMuch(Fields fields, Optional<Keep> keep, Limit limit) {
        keep.ifPresent(own -> {
            long permits = own.permits(limit);
            if (permits > limit.capacity()) {
                fields.error(
                        "keep",
                        "keep: " + own + " (expected: at most " + limit.capacity()
                                + ", all that the limit holds, or a share such as 20%)");
            } else if (permits == limit.capacity() && permits > 0) {
                errors.warnings()
                        .add(
                                fields.place("keep"),
                                "keep: " + own + ": all that the limit holds, so these requests never pass");
            }
        });
    }

    private OptionalInt of(Fields fields) {
        if (!fields.has("of")) {
            if (limits.size() > 1) {
                fields.error("of", "of: missing (expected: the id or position of a limit; the rule has several)");
            }
            return limits.size() == 1 ? OptionalInt.of(0) : OptionalInt.empty();
        }
        Optional<String> of = fields.text("of");
        for (int i = 0; i < limits.size() && of.isPresent(); i++) {
            if (of.equals(limits.get(i).id())) {
                return OptionalInt.of(i);
            }
        }
        long position = of.map(Digits::whole)
                .flatMap(n -> n.stream().boxed().findFirst())
                .orElse(-1L);
        if (position >= 0 && position < limits.size()) {
            return OptionalInt.of((int) position);
        }
        of.ifPresent(text -> fields.error("of", "of: " + PrintableText.text(text) + " (expected: " + targets() + ")"));
        return OptionalInt.empty();
    }

    private String targets() {
        List<String> ids = limits.stream().flatMap(limit -> limit.id().stream()).toList();
        return ids.isEmpty() ? "the position of a limit, counted from 0" : Fields.anyOf(ids);
    }

    private Optional<Limit> numbers(Fields fields, Built built) {
        Algorithm algorithm = built.algorithm();
        List<String> numbersOf = Parameter.words(
                algorithm.parameters().stream().filter(Parameter::isNumber).toList());
        String legal = String.join(", ", numbersOf);
        boolean keeps = fields.has("keep");
        long before = errors.count();
        for (String key : DocumentKeys.NUMBERS) {
            if (fields.has(key) && !numbersOf.contains(key)) {
                fields.refuseKey(key, key + ": not a number of " + algorithm.word() + " (expected: " + legal + ")");
            }
        }
        if (!keeps && DocumentKeys.NUMBERS.stream().noneMatch(fields::has)) {
            errors.add(fields.place(), "override: changes no number (expected: one or more of " + legal + ", keep)");
        }
        Parameters parameters = Parameters.read(fields, algorithm).over(built.parameters());
        if (errors.count() != before) {
            return Optional.empty();
        }
        try {
            RuleLimit own = built.limit();
            Limit numbers =
                    parameters.build(algorithm, own.limit().name(), own.cost().isPresent());
            own.cost().ifPresent(cost -> cost.check(numbers));
            return Optional.of(numbers);
        } catch (IllegalArgumentException e) {
            errors.add(fields.place(), String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private static Map<String, String> refused() {
        Map<String, String> refused = new LinkedHashMap<>();
        for (String key : DocumentKeys.LIMIT) {
            if (!DocumentKeys.OVERRIDE.contains(key)) {
                refused.put(
                        key,
                        key + ": not allowed in an override (expected: only numbers such as rate or limit;"
                                + " for anything else add another limit)");
            }
        }
        return refused;
    }
}
