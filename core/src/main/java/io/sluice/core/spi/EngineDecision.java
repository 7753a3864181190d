package io.sluice.core.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A decision of the engine. Immutable.
 *
 * @param allowed whether every demand fits
 * @param verdicts one verdict for each demand, in the same order
 * @param atMicros the time of the decision by the engine's clock, in microseconds since the epoch
 * @param degraded the reason why the intended engine did not decide; null if it did
 */
public record EngineDecision(
        boolean allowed,
        List<Verdict> verdicts,
        long atMicros,
        @Nullable String degraded) implements Outcome {

    public EngineDecision {
        verdicts = verdicts instanceof LazyVerdicts ? verdicts : List.copyOf(verdicts);
    }

    /** Returns this decision, marked as made by a stand-in because of {@code reason}. */
    public EngineDecision degradedBy(String reason) {
        return new EngineDecision(allowed, verdicts, atMicros, Objects.requireNonNull(reason, "reason"));
    }

    /**
     * Returns the charges that undo this decision when they are given back; empty if there was no charge.
     *
     * <p>For a degraded decision these are only the held permits. They are identified by their holder, so they can be released
     * in both places: at the stand-in, and at an engine whose answer was lost. The stand-in's other charges are on counts that
     * no other process shares.
     */
    public List<Charge> charges(Ask ask) {
        if (degraded != null) {
            return ask.charges() ? held(ask) : List.of();
        }
        List<Charge> charges = new ArrayList<>(verdicts.size());
        for (int i = 0; i < verdicts.size(); i++) {
            Verdict verdict = verdicts.get(i);
            Demand demand = ask.demands().get(i);
            boolean returns = verdict.chargedAtMicros() != Verdict.FINAL
                    || !demand.holder().isEmpty();
            if (verdict.granted() > 0 && returns) {
                charges.add(new Charge(
                        demand.limit(), demand.key(), verdict.granted(), verdict.chargedAtMicros(), demand.holder()));
            }
        }
        return charges;
    }

    private List<Charge> held(Ask ask) {
        List<Charge> held = new ArrayList<>();
        for (Demand demand : ask.demands()) {
            if (!demand.holder().isEmpty()) {
                held.add(new Charge(demand.limit(), demand.key(), demand.permits(), atMicros, demand.holder()));
            }
        }
        return held;
    }
}
