package io.sluice.redis;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.Pending;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Remembers refusals for a moment, so that callers who hammer on an exhausted limit are refused here and do not keep the shared
 * engine from deciding for everybody else. A decorator; safe for use by many threads.
 *
 * <p><b>What it gives up.</b> It never admits anything. Until the time that the engine named has come, the same question can
 * only be answered differently if permits were given back; those given back through this engine are noticed at once, those given
 * back by another process at most {@link #MEMORY} late. A question is the same if it names the same limits with the same numbers,
 * the same keys and the same permits: a change of rules is never behind it.
 */
public final class DenyCache implements Engine {

    /** How long a refusal is remembered at most. */
    public static final Duration MEMORY = Duration.ofMillis(50);

    private static final int REFUSALS_KEPT = 10_000;

    private final ConcurrentHashMap<List<Demand>, Refusal> refusals = new ConcurrentHashMap<>();
    private final Engine engine;
    private final Clock clock;

    private record Refusal(Decided outcome, long heardNanos, long forNanos) {}

    public DenyCache(Engine engine, Clock clock) {
        this.engine = engine;
        this.clock = clock;
    }

    @Override
    public String name() {
        return engine.name();
    }

    @Override
    public Answer decide(Ask ask) {
        if (!ask.charges()) {
            return engine.decide(ask);
        }
        Refusal refusal = refusals.get(ask.demands());
        if (refusal != null) {
            long passed = clock.nanoTime() - refusal.heardNanos;
            if (passed < refusal.forNanos) {
                return later(refusal.outcome, TimeUnit.NANOSECONDS.toMicros(passed));
            }
            refusals.remove(ask.demands(), refusal);
        }
        Answer answer = engine.decide(ask);
        if (answer instanceof Pending pending) {
            CompletionStage<Outcome> outcome = pending.outcome().whenComplete((heard, failure) -> {
                if (heard instanceof Decided decided) {
                    remember(ask, decided);
                }
            });
            return new Pending(outcome, pending.afterArrivals());
        }
        if (answer instanceof Decided decided) {
            remember(ask, decided);
        }
        return answer;
    }

    @Override
    public CompletionStage<Void> giveBack(List<Charge> charges) {
        return engine.giveBack(charges).whenComplete((done, failure) -> refusals.clear());
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return engine.renew(charge);
    }

    @Override
    public void close() {
        refusals.clear();
        engine.close();
    }

    private void remember(Ask ask, Decided decided) {
        if (decided.allowed() || decided.degraded() != null) {
            return;
        }
        long micros = 0;
        for (Verdict verdict : decided.verdicts()) {
            micros = Math.max(micros, verdict.fits() ? 0 : verdict.retryAfterMicros());
        }
        long nanos = micros >= TimeUnit.NANOSECONDS.toMicros(MEMORY.toNanos()) ? MEMORY.toNanos() : micros * 1_000;
        if (refusals.size() >= REFUSALS_KEPT) {
            refusals.clear();
        }
        refusals.put(ask.demands(), new Refusal(decided, clock.nanoTime(), nanos));
    }

    /** The same refusal, so much later. */
    private static Decided later(Decided refused, long micros) {
        List<Verdict> verdicts = new ArrayList<>(refused.verdicts().size());
        for (Verdict verdict : refused.verdicts()) {
            verdicts.add(new Verdict(
                    verdict.fits(),
                    0,
                    verdict.remaining(),
                    less(verdict.retryAfterMicros(), micros),
                    less(verdict.resetAfterMicros(), micros),
                    0,
                    verdict.chargedAtMicros()));
        }
        return new Decided(false, verdicts, refused.atMicros() + micros, null);
    }

    private static long less(long micros, long passed) {
        return micros == Verdict.NEVER ? micros : Math.max(0, micros - passed);
    }
}
