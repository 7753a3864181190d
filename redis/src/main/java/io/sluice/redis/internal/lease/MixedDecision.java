package io.sluice.redis.internal.lease;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A request over several limits, of which some are met from leases and the others by the wrapped engine, all or none. If the
 * request is not allowed, the permits taken for it are put back: into the lease if it is open, otherwise like any other charge.
 * Confined to one thread until the wrapped engine is asked.
 */
final class MixedDecision {

    private final Ask ask;
    private final @Nullable LeasedKey[] keys;
    private final @Nullable Verdict[] taken;

    /**
     * The refusals that keep the request from being allowed. Once set, a refusal stays, even if the state of the key changes
     * meanwhile.
     */
    private final @Nullable Verdict[] refusals;

    private final long nowNanos;
    private final Leases leases;
    private final AtomicBoolean heard = new AtomicBoolean();

    /**
     * Creates a decision for a request.
     *
     * @param keys the keys of the demands that may be met from leases; null for all other demands
     */
    MixedDecision(Ask ask, @Nullable LeasedKey[] keys, long nowNanos, Leases leases) {
        this.ask = ask;
        this.keys = keys;
        this.taken = new Verdict[keys.length];
        this.refusals = new Verdict[keys.length];
        this.nowNanos = nowNanos;
        this.leases = leases;
    }

    Answer decide(Engine behind) {
        List<Integer> rest = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
            LeasedKey key = keys[i];
            Demand demand = ask.demands().get(i);
            Verdict verdict = key == null ? null : key.take(ask, demand, false, nowNanos);
            Verdict refusal = verdict == null && key != null ? key.refusal(demand, nowNanos) : null;
            if (refusal != null) {
                refusals[i] = refusal;
                return refused();
            }
            taken[i] = verdict;
            if (verdict == null) {
                rest.add(i);
            }
        }
        return rest.isEmpty() ? decided(true, List.of(), null) : ask(behind, rest);
    }

    private Answer ask(Engine behind, List<Integer> rest) {
        Ask inner = ask.of(rest.stream().map(ask.demands()::get).toList());
        Answer answer;
        try {
            answer = behind.decide(inner);
        } catch (RuntimeException e) {
            answer = new EngineFailure(behind.name() + "-error", true);
        }
        return answer instanceof PendingOutcome pending
                ? new PendingOutcome(
                        pending.outcome().handle((outcome, failure) -> merged(outcome, rest, behind.name())),
                        pending.afterArrivals())
                : merged((Outcome) answer, rest, behind.name());
    }

    private Outcome merged(@Nullable Outcome outcome, List<Integer> rest, String name) {
        if (outcome instanceof EngineDecision decided) {
            if (!decided.allowed()) {
                putBack();
            }
            return decided(decided.allowed(), rest, decided);
        }
        putBack();
        return outcome == null ? new EngineFailure(name + "-error", true) : outcome;
    }

    private EngineDecision refused() {
        putBack();
        return decided(false, List.of(), null);
    }

    /** Puts back the taken permits, only once even if the wrapped engine answers twice. */
    private void putBack() {
        if (!heard.compareAndSet(false, true)) {
            return;
        }
        List<Charge> charges = new ArrayList<>();
        for (int i = 0; i < taken.length; i++) {
            Verdict verdict = taken[i];
            if (verdict != null) {
                Demand demand = ask.demands().get(i);
                charges.add(new Charge(
                        demand.limit(), demand.key(), verdict.granted(), verdict.chargedAtMicros(), demand.holder()));
            }
        }
        leases.giveBackUnused(ask, charges);
    }

    private EngineDecision decided(boolean allowed, List<Integer> rest, @Nullable EngineDecision behind) {
        @Nullable Verdict[] verdicts = new Verdict[keys.length];
        long atMicros = behind == null ? 0 : behind.atMicros();
        for (int i = 0; behind != null && i < rest.size(); i++) {
            verdicts[rest.get(i)] = behind.verdicts().get(i);
        }
        for (LeasedKey key : keys) {
            atMicros = Math.max(atMicros, key == null ? 0 : key.storeMicros(nowNanos));
        }
        for (int i = 0; i < verdicts.length; i++) {
            if (verdicts[i] == null) {
                verdicts[i] = allowed ? taken[i] : unasked(i, atMicros);
            }
        }
        EngineDecision decided = new EngineDecision(
                allowed, Arrays.asList(verdicts), atMicros, behind == null ? null : behind.degraded());
        leases.told(ask, decided);
        return decided;
    }

    private Verdict unasked(int i, long atMicros) {
        Verdict refusal = refusals[i];
        if (refusal != null) {
            return refusal;
        }
        LeasedKey key = keys[i];
        Demand demand = ask.demands().get(i);
        return key == null ? Verdict.unasked(demand.limit().capacity(), atMicros) : key.unasked(demand, nowNanos);
    }
}
