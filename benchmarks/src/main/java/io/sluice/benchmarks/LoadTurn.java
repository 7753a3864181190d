package io.sluice.benchmarks;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one turn measured.
 *
 * @param calls scripts and functions that Redis ran for each decision
 * @param redisMicros processor time that Redis took for each decision
 * @param clientMicros processor time that this process took for each decision
 */
record LoadTurn(
        double perSecond, double p50Micros, double p99Micros, double calls, double redisMicros, double clientMicros) {

    static LoadTurn median(List<LoadTurn> turns) {
        return new LoadTurn(
                median(turns, LoadTurn::perSecond),
                median(turns, LoadTurn::p50Micros),
                median(turns, LoadTurn::p99Micros),
                median(turns, LoadTurn::calls),
                median(turns, LoadTurn::redisMicros),
                median(turns, LoadTurn::clientMicros));
    }

    private static double median(List<LoadTurn> turns, ToDoubleFunction<LoadTurn> what) {
        return turns.stream().mapToDouble(what).sorted().toArray()[turns.size() / 2];
    }
}
