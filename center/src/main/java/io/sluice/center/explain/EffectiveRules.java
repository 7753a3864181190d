package io.sluice.center.explain;

import io.sluice.center.fleet.FleetRules;
import io.sluice.rules.adjust.AdjustedRules;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The rules in force with the current overrides and switches. The last result is kept, because computing it takes long. Thread-safe. */
final class EffectiveRules {

    private volatile @Nullable Kept kept;

    /** A result, with the rules, the revision and the time that it was computed from. */
    private record Kept(RuleSet from, long revision, Instant at, AdjustedRules adjusted) {

        boolean isOf(FleetRules fleet, Instant now) {
            return from == fleet.inForce()
                    && revision == fleet.adjustments().revision()
                    && !now.isBefore(at)
                    && adjusted.until().filter(end -> !now.isBefore(end)).isEmpty();
        }
    }

    RuleSet of(FleetRules fleet, Instant now) {
        if (fleet.adjustments().isEmpty()) {
            return fleet.inForce();
        }
        Kept last = kept;
        if (last != null && last.isOf(fleet, now)) {
            return last.adjusted.rules();
        }
        Kept next = new Kept(
                fleet.inForce(),
                fleet.adjustments().revision(),
                now,
                AdjustedRules.of(fleet.inForce(), fleet.adjustments(), now));
        kept = next;
        return next.adjusted.rules();
    }
}
