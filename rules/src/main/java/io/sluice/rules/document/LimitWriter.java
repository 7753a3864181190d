package io.sluice.rules.document;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import java.util.Map;

/** Writes the parameters of a limit into a mapping. */
final class LimitWriter {

    private LimitWriter() {}

    /**
     * Writes every parameter that differs from its default.
     *
     * @param hasCost whether the limit has a cost
     */
    static void write(Limit limit, boolean hasCost, Map<String, Object> out) {
        Algorithm kind = limit.kind();
        if (kind != Parameters.usual(kind.has(Parameter.RATE))) {
            out.put("algorithm", limit.algorithm());
        }
        Map<Parameter, Object> given = limit.givenParameters();
        Object burst = limit.parameters().get(Parameter.BURST);
        if (hasCost && burst != null) {
            given.remove(Parameter.BURST);
            if (!new Parameters(given).build(kind, limit.name(), true).equals(limit)) {
                given.put(Parameter.BURST, burst);
            }
        }
        given.forEach((parameter, value) -> out.put(parameter.word(), Quantities.written(value)));
    }

    /**
     * Writes every number that an override may replace, even if it equals the number of the limit, so that the override is
     * complete by itself.
     */
    static void writeNumbers(Limit limit, Map<String, Object> out) {
        limit.parameters().forEach((parameter, value) -> {
            if (parameter.isNumber()) {
                out.put(parameter.word(), Quantities.written(value));
            }
        });
    }
}
