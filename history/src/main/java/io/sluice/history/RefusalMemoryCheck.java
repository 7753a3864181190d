package io.sluice.history;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.spi.Verdict;
import io.sluice.history.Violation.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks the refusals that one node cached: they must not last longer than the store's answer allows, counted at the latest
 * from the time when the answer was recorded.
 */
final class RefusalMemoryCheck {

    /**
     * After a refusal, a node that leases does not ask again for at least this time, even if the store's answer allows an
     * earlier request.
     */
    private static final long LEAST_MICROS = 20_000;

    private static final long ENDLESS = Long.MAX_VALUE;

    private final Findings findings;
    private final Map<String, List<Heard>> heard = new HashMap<>();
    private final Map<String, Long> toldAtNanos = new HashMap<>();

    /** Refusals in the order of recording: by the store, or by the node from its cache. */
    private record Heard(String ask, long retryAfterMicros, boolean fromMemory, long ownNanos) {}

    RefusalMemoryCheck(Findings findings) {
        this.findings = findings;
    }

    /**
     * Records a refusal by the store.
     *
     * @param ask the id of the request; empty if the time of its answer is unknown
     */
    void refused(String count, String ask, long retryAfterMicros) {
        of(count).add(new Heard(ask, retryAfterMicros, false, 0));
    }

    void answered(AnswerEvent told) {
        String refusing = told.refusing();
        if (told.source() == AnswerEvent.Source.MEMORY && refusing != null) {
            of(refusing).add(new Heard(told.ask(), 0, true, told.ownNanos()));
        } else if (told.source() == AnswerEvent.Source.STORE && !told.allowed()) {
            toldAtNanos.put(told.ask(), told.ownNanos());
        }
    }

    void finish(boolean whole) {
        if (whole) {
            heard.forEach(this::check);
        }
    }

    private void check(String count, List<Heard> refusals) {
        boolean known = false;
        boolean endless = false;
        long untilNanos = 0;
        for (Heard each : refusals) {
            if (!each.fromMemory) {
                Long told = toldAtNanos.get(each.ask);
                if (told == null || each.retryAfterMicros == Verdict.NEVER || each.retryAfterMicros > ENDLESS / 2_000) {
                    endless = true;
                } else {
                    long until = told + Math.max(LEAST_MICROS, each.retryAfterMicros) * 1_000;
                    untilNanos = known && untilNanos - until > 0 ? untilNanos : until;
                    known = true;
                }
            } else if (!endless && (!known || each.ownNanos - untilNanos > 0)) {
                findings.add(
                        Kind.REMEMBERED,
                        count,
                        0,
                        known
                                ? "ask %s refused from memory at %d (expected: until %d at the latest)"
                                        .formatted(each.ask, each.ownNanos, untilNanos)
                                : "ask %s refused from memory (expected: the store to have refused before)"
                                        .formatted(each.ask));
            }
        }
    }

    private List<Heard> of(String count) {
        return heard.computeIfAbsent(count, unknown -> new ArrayList<>());
    }
}
