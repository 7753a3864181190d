package io.sluice.redis.internal.link;

import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.Verdict;
import io.sluice.redis.internal.wire.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an ask of which each part was decided for itself. If all parts were allowed, so is the ask. If one refused or is
 * undecided, what the others charged is given back: the ask never passes beyond a limit, but until then others may be refused
 * because of it; and if a give-back is lost, until the charge has aged. Safe for use by many threads.
 */
final class MergedAsk {

    private final Operation.AskOperation whole;
    private final List<List<Integer>> places;
    private final Consumer<List<Charge>> giveBack;
    private final AtomicReferenceArray<@Nullable Outcome> outcomes;
    private final AtomicInteger awaited;
    private final List<Charge> charged = new ArrayList<>();

    /** @param places which demands of the ask each part has */
    MergedAsk(Operation.AskOperation whole, List<List<Integer>> places, Consumer<List<Charge>> giveBack) {
        this.whole = whole;
        this.places = places;
        this.giveBack = giveBack;
        this.outcomes = new AtomicReferenceArray<>(places.size());
        this.awaited = new AtomicInteger(places.size());
    }

    void landed(int part, Ask ask, Outcome outcome) {
        outcomes.set(part, outcome);
        if (outcome instanceof EngineDecision decided && decided.allowed() && ask.charges()) {
            synchronized (charged) {
                charged.addAll(decided.charges(ask));
            }
        }
        if (awaited.decrementAndGet() == 0) {
            whole.end(merged());
        }
    }

    private Outcome merged() {
        boolean allowed = true;
        boolean mayHaveCharged = false;
        EngineFailure undecided = null;
        long atMicros = 0;
        for (int part = 0; part < places.size(); part++) {
            Outcome outcome = outcomes.get(part);
            if (outcome instanceof EngineDecision decided) {
                allowed &= decided.allowed();
                atMicros = Math.max(atMicros, decided.atMicros());
            } else if (outcome instanceof EngineFailure gone) {
                undecided = undecided == null ? gone : undecided;
                mayHaveCharged |= gone.mayHaveCharged();
            }
        }
        if (undecided != null || !allowed) {
            giveBackCharged();
        }
        return undecided == null
                ? new EngineDecision(allowed, verdicts(allowed), atMicros, null)
                : new EngineFailure(undecided.reason(), mayHaveCharged);
    }

    private void giveBackCharged() {
        List<Charge> all;
        synchronized (charged) {
            all = List.copyOf(charged);
        }
        if (!all.isEmpty()) {
            giveBack.accept(all);
        }
    }

    private List<Verdict> verdicts(boolean allowed) {
        @Nullable Verdict[] verdicts = new Verdict[whole.size()];
        for (int part = 0; part < places.size(); part++) {
            EngineDecision decided = (EngineDecision) outcomes.get(part);
            for (int i = 0; decided != null && i < decided.verdicts().size(); i++) {
                Verdict verdict = decided.verdicts().get(i);
                verdicts[places.get(part).get(i)] = allowed ? verdict : uncharged(verdict);
            }
        }
        return Arrays.asList(verdicts);
    }

    /** What is left once it has been given back; of a charge that has to wait for its slot, at least that. */
    private static Verdict uncharged(Verdict verdict) {
        return verdict.granted() == 0
                ? verdict
                : new Verdict(
                        verdict.fits(),
                        0,
                        verdict.waitMicros() > 0 ? verdict.remaining() : verdict.remaining() + verdict.granted(),
                        verdict.retryAfterMicros(),
                        verdict.resetAfterMicros(),
                        verdict.waitMicros(),
                        verdict.chargedAtMicros());
    }
}
