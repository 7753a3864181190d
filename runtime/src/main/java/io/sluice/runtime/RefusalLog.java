package io.sluice.runtime;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.model.Rule;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs refusals, all of ten seconds in one line. The line names rules and limits, never callers. Thread-safe.
 */
public final class RefusalLog implements RulingListener {

    private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
    private static final Duration GATHER = Duration.ofSeconds(10);
    private static final int MOST_NAMED = 5;

    private final Clock clock;
    private final AtomicBoolean gathering = new AtomicBoolean();
    private final ConcurrentHashMap<String, Long> refusals = new ConcurrentHashMap<>();

    public RefusalLog(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        if (ruling.allowed() || ruling.looked() || !LOG.isInfoEnabled()) {
            return;
        }
        Ruling.Reported reported = ruling.reported();
        Rule rule = ruling.rule();
        String name = reported != null ? reported.id() : rule != null ? rule.id() : "";
        refusals.merge(name, 1L, Long::sum);
        if (!gathering.get() && gathering.compareAndSet(false, true)) {
            clock.at(clock.nanoTime() + GATHER.toNanos(), this::tell);
        }
    }

    private void tell() {
        // First, so that a refusal that comes too late for this line starts the next one.
        gathering.set(false);
        Map<String, Long> gathered = new HashMap<>();
        for (String name : refusals.keySet()) {
            Long count = refusals.remove(name);
            if (count != null) {
                gathered.put(name, count);
            }
        }
        if (!gathered.isEmpty()) {
            LOG.info(line(gathered));
        }
    }

    static String line(Map<String, Long> gathered) {
        List<Map.Entry<String, Long>> most = gathered.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .toList();
        long all = most.stream().mapToLong(Map.Entry::getValue).sum();
        StringBuilder line = new StringBuilder("refused ")
                .append(all)
                .append(all == 1 ? " request in " : " requests in ")
                .append(GATHER.toSeconds())
                .append(" s:");
        String separator = " ";
        for (Map.Entry<String, Long> each : most.subList(0, Math.min(MOST_NAMED, most.size()))) {
            line.append(separator).append(each.getKey()).append(' ').append(each.getValue());
            separator = ", ";
        }
        return most.size() > MOST_NAMED
                ? line.append(" and ")
                        .append(most.size() - MOST_NAMED)
                        .append(" more")
                        .toString()
                : line.toString();
    }
}
