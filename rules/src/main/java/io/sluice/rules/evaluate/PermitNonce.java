package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.rules.side.Side;
import io.sluice.rules.side.SideDecisions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The secret random number that identifies the permits of one request. Created on first use. Not thread-safe. */
final class PermitNonce {

    private static final SecureRandom RANDOM = new SecureRandom();

    private byte @Nullable [] bytes;

    /**
     * Creates a demand. Permits of a concurrency limit are held under a name that only this nonce can reproduce.
     *
     * @param keep the permits that must remain for other requests
     */
    Demand demand(Limit limit, String key, long permits, long keep, Label label, double guard, LeasePolicy lease) {
        String holder = limit.kind().holds() ? Permit.holder(bytes(), limit, key, permits) : "";
        return new Demand(limit, key, permits, permits, limit.maxWaitMicros(), holder, label, guard, lease, keep);
    }

    /** Returns the permit for the permits that allowed decisions hold, or null if they hold none. */
    @Nullable
    Permit permit(SideDecisions live, SideDecisions shadows) {
        if (bytes == null) {
            return null;
        }
        Map<String, List<Charge>> held = new LinkedHashMap<>();
        live.forEach((side, decision) -> add(held, side, decision));
        shadows.forEach((side, decision) -> add(held, side, decision));
        return held.isEmpty() ? null : new Permit(bytes(), held);
    }

    private static void add(Map<String, List<Charge>> held, Side side, Decision decision) {
        if (!decision.allowed() || !decision.ask().charges()) {
            return;
        }
        for (Charge charge : decision.outcome().charges(decision.ask())) {
            if (charge.isHeld()) {
                held.computeIfAbsent(side.name(), first -> new ArrayList<>()).add(charge);
            }
        }
    }

    private byte[] bytes() {
        byte[] known = bytes;
        if (known == null) {
            known = new byte[Permit.NONCE_BYTES];
            RANDOM.nextBytes(known);
            bytes = known;
        }
        return known;
    }
}
