package io.sluice.rules.cost;

import io.sluice.core.limit.Limit;
import io.sluice.rules.cost.Cost.Settling;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.Spans;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads the cost of a limit: {@code {reserve, default, settle, within}} or {@code {charge: always}}. */
public final class CostReader {

    /** The legal keys, in the order in which errors list them. */
    public static final Set<String> KEYS = Collections.unmodifiableSet(
            new LinkedHashSet<>(List.of("reserve", "default", "settle", "within", "charge")));

    private static final String COST = "cost";
    private static final String EXAMPLE = "such as answer.json.usage.total_tokens";

    private final AttributeReader attributes;
    private final Errors errors;

    public CostReader(AttributeReader attributes, Errors errors) {
        this.attributes = attributes;
        this.errors = errors;
    }

    /** Reads the name of an attribute of the request. */
    @FunctionalInterface
    public interface AttributeReader {

        /** Returns the name; empty if it was reported as an error. */
        Optional<String> read(String key, YamlValue value);
    }

    /** Returns the cost of a limit; empty if the limit has none, or if it was reported as an error. */
    public Optional<Cost> read(Fields limit) {
        if (!limit.has(COST)) {
            return Optional.empty();
        }
        long before = errors.count();
        Optional<Cost> cost = limit.fields(COST, KEYS)
                // An unknown key is probably a mistyped key, so do not also report a missing key.
                .filter(fields -> fields.hasAny(KEYS) || errors.count() == before)
                .flatMap(fields -> fields.has("charge") ? always(fields) : reserved(fields));
        return errors.count() == before ? cost : Optional.empty();
    }

    private static Optional<Cost> always(Fields fields) {
        for (String key : KEYS) {
            if (fields.has(key) && !key.equals("charge")) {
                fields.refuseKey(key, key + ": set together with charge (expected: charge alone, or reserve)");
            }
        }
        return fields.choice("charge", Map.<String, Cost>of("always", new Cost.Always()));
    }

    private Optional<Cost> reserved(Fields fields) {
        Optional<Settling> settling = settling(fields);
        if (!fields.has("reserve")) {
            String found = fields.hasAny(KEYS) ? "reserve: missing" : "cost: empty";
            errors.add(
                    fields.place(),
                    found + " (expected: reserve with an attribute such as json.max_tokens or a number,"
                            + " or charge: always)");
            return Optional.empty();
        }
        Optional<Reserve> reserve = fields.value("reserve").flatMap(value -> reserve(fields, value));
        if (!fields.has("settle")
                && reserve.filter(new Reserve.Fixed(0)::equals).isPresent()) {
            fields.error(
                    "reserve",
                    "reserve: 0 without settle (expected: 1 or more, or settle; such a limit would count nothing)");
            return Optional.empty();
        }
        return reserve.map(own -> new Cost.Reserved(own, settling));
    }

    private Optional<Reserve> reserve(Fields fields, YamlValue value) {
        Optional<Long> usual = fields.whole("default", 0, Limit.MAX_PERMITS);
        if (isNumber(value)) {
            if (fields.has("default")) {
                fields.refuseKey(
                        "default",
                        "default: set together with a number to reserve (expected: none; the number always applies)");
            }
            return fields.whole("reserve", 0, Limit.MAX_PERMITS).map(Reserve.Fixed::new);
        }
        Optional<String> name = attributes.read("reserve", value);
        if (name.filter(own -> own.startsWith("answer.")).isPresent()) {
            fields.error(
                    "reserve",
                    "reserve: " + value.shown()
                            + " (expected: an attribute of the request; there is no answer yet when permits are reserved)");
            return Optional.empty();
        }
        return name.map(
                own -> new Reserve.Attribute(own, usual.map(OptionalLong::of).orElse(OptionalLong.empty())));
    }

    /** Returns whether a value is a number. Text in quotes is a name, even if it has only digits. */
    private static boolean isNumber(YamlValue value) {
        return value instanceof YamlScalar scalar
                && !scalar.quoted()
                && !scalar.text().isEmpty()
                && "0123456789+-.".indexOf(scalar.text().charAt(0)) >= 0;
    }

    private static Optional<Settling> settling(Fields fields) {
        if (fields.has("within") && !fields.has("settle")) {
            fields.refuseKey(
                    "within", "within: set without settle (expected: settle with " + AnswerAttribute.EXPECTED + ")");
        }
        Duration within = fields.read("within", text -> Spans.of("within", text, Settling.SHORTEST, Settling.LONGEST))
                .orElse(Settling.DEFAULT_WITHIN);
        return fields.read("settle", CostReader::answer).map(by -> new Settling(by, within));
    }

    private static AnswerAttribute answer(String text) {
        try {
            return AnswerAttribute.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "settle: " + PrintableText.text(text) + " (expected: " + AnswerAttribute.EXPECTED + ", " + EXAMPLE
                            + ")",
                    e);
        }
    }
}
