package io.sluice.examples.flashsale;

import io.sluice.core.Decision;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;


/**
 * Counts the decisions of this instance by the second in which they were made, according to Redis' clock. A response that arrives
 * late, here or at the client, still counts for the second of its decision.
 */
@RestController
class DecisionBook implements RulingListener {

    private static final long KEPT_SECONDS = 600;

    private final Map<Long, Counts> seconds = new ConcurrentSkipListMap<>();

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        for (Decision decision : ruling.decisions()) {
            long second = TimeUnit.MICROSECONDS.toSeconds(decision.outcome().atMicros());
            Counts counts = seconds.computeIfAbsent(second, this::opened);
            (decision.allowed() ? counts.admitted : counts.refused).increment();
            if (decision.degraded() != null) {
                counts.degraded.increment();
            }
        }
    }

    /** Returns one line per second: the second, admitted, refused, and how many of both were decided without Redis. */
    @GetMapping(path = "/decisions", produces = "text/plain")
    String decisions() {
        StringBuilder text = new StringBuilder();
        seconds.forEach((second, counts) -> text.append(second)
                .append(' ')
                .append(counts.admitted)
                .append(' ')
                .append(counts.refused)
                .append(' ')
                .append(counts.degraded)
                .append('\n'));
        return text.toString();
    }

    private Counts opened(long second) {
        seconds.keySet().removeIf(old -> old < second - KEPT_SECONDS);
        return new Counts(new LongAdder(), new LongAdder(), new LongAdder());
    }

    private record Counts(LongAdder admitted, LongAdder refused, LongAdder degraded) {}
}
