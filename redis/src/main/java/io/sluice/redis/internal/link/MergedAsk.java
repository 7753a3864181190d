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
 * Merges the outcomes of a request whose parts were decided separately. If all parts were allowed, the request is allowed. If a part was
 * refused or is undecided, the charges of the other parts are returned. So the request never exceeds a limit, but until the charges are
 * returned, other requests may be refused because of them. If a refund is lost, this effect lasts until the charge expires. Thread-safe.
 */
final class MergedAsk {

    private final Operation.AskOperation whole;
    private final List<List<Integer>> places;
    private final Consumer<List<Charge>> giveBack;
    private final AtomicReferenceArray<@Nullable Outcome> outcomes;
    private final AtomicInteger awaited;
    private final List<Charge> charged = new ArrayList<>();

    /**
     * Creates a merger for a request.
     *
     * @param places the indexes of each part's demands in the request
     */
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

    /** Returns the verdict after the refund. For a charge that has to wait for its slot, {@code remaining} is a lower bound. */
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
