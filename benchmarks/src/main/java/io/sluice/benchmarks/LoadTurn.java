package io.sluice.benchmarks;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The measurements of one turn.
 *
 * @param decisions the number of decisions
 * @param calls scripts and functions that Redis ran, per decision
 * @param scriptMicros time that Redis ran scripts and functions, per decision
 * @param redisMicros CPU time of Redis, per decision
 * @param clientMicros CPU time of this process, per decision
 * @param threadMicros CPU time of the Java threads of this process, per decision
 * @param threadBytes bytes that these threads allocated, per decision
 */
record LoadTurn(
        double decisions,
        double perSecond,
        double p50Micros,
        double p99Micros,
        double calls,
        double scriptMicros,
        double redisMicros,
        double clientMicros,
        double threadMicros,
        double threadBytes) {

    static LoadTurn median(List<LoadTurn> turns) {
        return new LoadTurn(
                median(turns, LoadTurn::decisions),
                median(turns, LoadTurn::perSecond),
                median(turns, LoadTurn::p50Micros),
                median(turns, LoadTurn::p99Micros),
                median(turns, LoadTurn::calls),
                median(turns, LoadTurn::scriptMicros),
                median(turns, LoadTurn::redisMicros),
                median(turns, LoadTurn::clientMicros),
                median(turns, LoadTurn::threadMicros),
                median(turns, LoadTurn::threadBytes));
    }

    private static double median(List<LoadTurn> turns, ToDoubleFunction<LoadTurn> what) {
        return turns.stream().mapToDouble(what).sorted().toArray()[turns.size() / 2];
    }
}
