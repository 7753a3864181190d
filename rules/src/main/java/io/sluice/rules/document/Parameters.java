package io.sluice.rules.document;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import io.sluice.core.limit.Rate;
import io.sluice.rules.yaml.Fields;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The parameters of a limit that a mapping gives. Immutable. */
record Parameters(Map<Parameter, Object> given) {

    static final List<Parameter> ALL = List.of(Parameter.values());

    static Parameters read(Fields fields, Algorithm algorithm) {
        Map<Parameter, Object> given = new EnumMap<>(Parameter.class);
        for (Parameter each : ALL) {
            Optional<?> value = fields.has(each.word()) ? read(fields, each, algorithm) : Optional.empty();
            if (value.isPresent()) {
                given.put(each, value.get());
            }
        }
        return new Parameters(given);
    }

    private static Optional<?> read(Fields fields, Parameter parameter, Algorithm algorithm) {
        String key = parameter.word();
        return switch (parameter) {
            case RATE -> fields.read(key, text -> Quantities.rate(key, text));
            case BURST, CAPACITY, LIMIT -> fields.whole(key, 0, algorithm.largest(parameter));
            case MAX_WAIT -> fields.read(key, text -> Quantities.wait(key, text));
            case WINDOW, TTL -> fields.read(key, text -> Quantities.window(key, text));
            case ALIGN -> fields.choice(key, DocumentWords.CALENDARS);
            case ZONE -> fields.read(key, text -> Quantities.zone(key, text));
            case SLICES -> fields.whole(key, 1, algorithm.largest(parameter));
            case WEIGHTED -> fields.flag(key);
        };
    }

    /** Returns the default algorithm of a limit. */
    static Algorithm usual(boolean hasRate) {
        return hasRate ? Algorithm.TOKEN_BUCKET : Algorithm.SLIDING_WINDOW;
    }

    /** Returns these numbers, completed by the numbers of the other parameters. All other values come from the other parameters. */
    Parameters over(Parameters others) {
        Map<Parameter, Object> all = new EnumMap<>(Parameter.class);
        all.putAll(others.given);
        given.forEach((parameter, value) -> {
            if (parameter.isNumber()) {
                all.put(parameter, value);
            }
        });
        return new Parameters(all);
    }

    /**
     * Builds the limit. The parameters that the algorithm requires must be present. The core module makes the final check, and throws
     * {@link IllegalArgumentException} for an impossible limit.
     *
     * @param hasCost whether the limit has a cost
     */
    Limit build(Algorithm algorithm, String name, boolean hasCost) {
        Limit limit = algorithm.limit(name, given);
        Rate rate = limit.rate();
        if (!hasCost || rate == null || !algorithm.has(Parameter.BURST) || given.containsKey(Parameter.BURST)) {
            return limit;
        }
        // A single request may cost more than one second of 100000/m, so the default burst is at least the whole rate.
        long second = (Long) Objects.requireNonNull(limit.parameters().get(Parameter.BURST));
        return limit.with(Parameter.BURST, Math.max(second, rate.permits()));
    }
}
