package io.sluice.runtime.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.history.CheckReport;
import io.sluice.history.History;
import io.sluice.history.HistoryChecker;
import io.sluice.history.Violation;
import io.sluice.testkit.engine.RecordedEngine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What several nodes recorded, judged by the counts that the contract promises: one for each rule, limit, window and key. If an
 * engine keeps several counts where there should be one, their steps are put in the order of time and judged as steps of one
 * count, so that the checker finds what they admit together.
 */
final class SharedHistory {

    private final List<Queue<HistoryEvent>> nodes = new ArrayList<>();

    /** Returns the listener of one more node. */
    HistoryListener node() {
        Queue<HistoryEvent> events = new ConcurrentLinkedQueue<>();
        nodes.add(events);
        return events::add;
    }

    private <T extends HistoryEvent> Stream<T> events(Class<T> kind) {
        return nodes.stream().flatMap(Queue::stream).filter(kind::isInstance).map(kind::cast);
    }

    /** Returns the rules whose counts were asked for this version. */
    Set<String> askedBy(long version) {
        return rules(asked -> asked.ruleVersion() == version);
    }

    /** Returns the rules whose counts admitted something to this version, other than through a lease. */
    Set<String> admittedBy(long version) {
        return rules(asked -> asked.ruleVersion() == version && asked.verdict().granted() > 0);
    }

    private Set<String> rules(Predicate<StepEvent.Asked> which) {
        return events(StepEvent.class)
                .map(StepEvent::step)
                .filter(StepEvent.Asked.class::isInstance)
                .map(StepEvent.Asked.class::cast)
                .filter(which)
                .map(asked -> rule(asked.demand().limit().name()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the rule in the name of a limit or of a count. */
    private static String rule(String name) {
        return TwoVersions.ALGORITHMS.stream()
                .filter(name::contains)
                .findFirst()
                .orElseThrow();
    }

    /** Returns the names that the engine gave its counts. */
    Set<String> counts() {
        return events(StepEvent.class).map(StepEvent::count).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the rules on which this version spent permits of leases. */
    Set<String> spentBy(long version) {
        return events(SpendEvent.class)
                .filter(spent -> spent.ruleVersion() == version)
                .map(spent -> rule(spent.count()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Checks that each version spent only leases that were granted under its own numbers. */
    void assertSpentByTheirOwnNumbers() {
        Map<Long, Set<Limit>> numbers = new HashMap<>();
        Map<String, Limit> leases = new HashMap<>();
        events(StepEvent.class).forEach(event -> {
            if (event.step() instanceof StepEvent.Asked asked) {
                numbers.computeIfAbsent(asked.ruleVersion(), version -> new HashSet<>())
                        .add(asked.demand().limit());
            } else if (event.step() instanceof StepEvent.Granted granted) {
                leases.put(granted.lease(), granted.limit());
            }
        });
        events(SpendEvent.class).forEach(spent -> assertThat(numbers.get(spent.ruleVersion()))
                .as("the numbers of version %d", spent.ruleVersion())
                .contains(leases.get(spent.lease())));
    }

    /** Checks that the checker finds nothing, although both versions asked for every count. */
    void assertClean() {
        CheckReport report = check();
        assertThat(report.isClean()).as("%s", report).isTrue();
        assertThat(report.unchecked()).as("%s", report).isZero();
        assertThat(askedBy(TwoVersions.OLDER)).containsAll(TwoVersions.ALGORITHMS);
        assertThat(askedBy(TwoVersions.NEWER)).containsAll(TwoVersions.ALGORITHMS);
    }

    /** Checks that every step was recorded. A node on Redis may stop before it has read the last replies. */
    void assertComplete() {
        assertThat(check().missing()).isZero();
    }

    /** Checks that the checker finds a violation of the model on the count of each algorithm. */
    void assertFoundForEachAlgorithm() {
        CheckReport report = check();
        assertThat(report.violations())
                .as("%s", report)
                .filteredOn(violation -> violation.kind() == Violation.Kind.MODEL)
                .extracting(violation -> rule(violation.count()))
                .containsAll(TwoVersions.ALGORITHMS);
    }

    private CheckReport check() {
        Map<String, String> promised = promised();
        boolean asPromised = Set.copyOf(promised.values()).size() == promised.size();
        return HistoryChecker.check(new History(asPromised ? recorded() : joined(promised)));
    }

    private List<History.Node> recorded() {
        return nodes.stream()
                .map(events -> new History.Node("n", true, List.copyOf(events)))
                .toList();
    }

    /** Returns the promised count for each count of the engine. */
    private Map<String, String> promised() {
        Map<String, String> promised = new HashMap<>();
        events(StepEvent.class).forEach(event -> {
            if (event.step() instanceof StepEvent.Asked asked) {
                Demand demand = asked.demand();
                promised.put(event.count(), RecordedEngine.count(demand.limit(), demand.key()));
            }
        });
        return promised;
    }

    /** Returns the steps on the promised counts, in the order of time. */
    private List<History.Node> joined(Map<String, String> promised) {
        Map<String, Long> numbers = new HashMap<>();
        List<HistoryEvent> joined = new ArrayList<>();
        events(StepEvent.class)
                .sorted(Comparator.comparingLong(StepEvent::atMicros)
                        .thenComparing(StepEvent::count)
                        .thenComparingLong(StepEvent::number)
                        .thenComparing(step -> !step.changed()))
                .forEach(step -> {
                    String count = promised.getOrDefault(step.count(), step.count());
                    long number = numbers.merge(count, step.changed() ? 1L : 0L, Long::sum);
                    joined.add(new StepEvent(count, 1, number, step.changed(), step.atMicros(), step.step()));
                });
        return List.of(new History.Node("all", false, joined));
    }
}
