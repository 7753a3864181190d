package io.sluice.core.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The engine decided. Immutable.
 *
 * @param allowed whether every demand fits
 * @param verdicts one for each demand, in their order
 * @param atMicros the engine's time of the decision, in microseconds since the epoch
 * @param degraded why somebody else than the engine that was meant to decided; null if all is well
 */
public record EngineDecision(
        boolean allowed,
        List<Verdict> verdicts,
        long atMicros,
        @Nullable String degraded) implements Outcome {

    public EngineDecision {
        verdicts = List.copyOf(verdicts);
    }

    /** The same outcome, decided by a stand-in because of {@code reason}. */
    public EngineDecision degradedBy(String reason) {
        return new EngineDecision(allowed, verdicts, atMicros, Objects.requireNonNull(reason, "reason"));
    }

    /**
     * What a give-back has to name to undo this outcome; empty if nothing was charged.
     *
     * <p>Of a degraded outcome only permits that are held: their holder names them, so they can be let go wherever they are,
     * at the stand-in or at an engine whose answer was lost. What else a stand-in charged are counts that nobody shares.
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
