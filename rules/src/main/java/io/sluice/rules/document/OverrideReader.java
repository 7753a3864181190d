package io.sluice.rules.document;

import io.sluice.core.limit.Limit;
import io.sluice.rules.document.LimitReader.Built;
import io.sluice.rules.document.LimitReader.ReadLimit;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.yaml.Digits;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
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
                    .flatMap(built -> numbers(fields, built))
                    .filter(numbers -> !when.isEmpty())
                    .ifPresent(numbers -> overrides.add(new LimitOverride(when, of.getAsInt(), numbers, until)));
        }
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
        String legal = String.join(", ", algorithm.numbers());
        long before = errors.count();
        for (String key : DocumentKeys.NUMBERS) {
            if (fields.has(key) && !algorithm.numbers().contains(key)) {
                fields.refuseKey(key, key + ": not a number of " + algorithm.word() + " (expected: " + legal + ")");
            }
        }
        if (DocumentKeys.NUMBERS.stream().noneMatch(fields::has)) {
            errors.add(fields.place(), "override: changes no number (expected: one or more of " + legal + ")");
        }
        Parameters parameters = Parameters.read(fields, algorithm).over(built.parameters());
        if (errors.count() != before) {
            return Optional.empty();
        }
        try {
            return Optional.of(parameters.build(algorithm, built.limit().limit().name()));
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
