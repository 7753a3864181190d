package io.sluice.center.series;

import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.data.SecondCounts;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What nodes have sent, kept in the simplest way: each second of each rule and node. */
final class FleetModel {

    private final Map<SeriesKey, TreeMap<Long, SeriesSum>> seconds = new HashMap<>();

    void sent(String node, long second, SecondCounts counts) {
        add(SeriesKey.FLEET, second, counts.total(), counts.latencies());
        add(SeriesKey.node(node), second, counts.total(), counts.latencies());
        counts.rules().forEach((rule, figures) -> add(SeriesKey.rule(rule), second, figures, Latencies.NONE));
    }

    private void add(SeriesKey key, long second, Figures figures, Latencies took) {
        SeriesSum sum = new SeriesSum(
                figures.allowed(),
                figures.refused(),
                figures.shadowRefused(),
                figures.degraded(),
                figures.allowed(),
                figures.refused(),
                took);
        seconds.computeIfAbsent(key, made -> new TreeMap<>()).merge(second, sum, SeriesSum::beside);
    }

    NavigableMap<Long, SeriesSum> points(SeriesKey key, SeriesStep step, long from, long until) {
        TreeMap<Long, SeriesSum> points = new TreeMap<>();
        seconds.getOrDefault(key, new TreeMap<>())
                .subMap(step.start(from), until)
                .forEach((second, sum) -> points.merge(step.start(second), sum, SeriesSum::then));
        return points;
    }
}
