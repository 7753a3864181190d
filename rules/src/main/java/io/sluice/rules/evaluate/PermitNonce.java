package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.LeasePolicy;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
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
    Permit permit(List<Decision> live, List<Decision> shadows) {
        if (bytes == null) {
            return null;
        }
        List<Charge> here = new ArrayList<>();
        List<Charge> inStore = new ArrayList<>();
        for (Decision decision : live) {
            sort(decision, here, inStore);
        }
        for (Decision decision : shadows) {
            sort(decision, here, inStore);
        }
        return here.isEmpty() && inStore.isEmpty() ? null : new Permit(bytes(), here, inStore);
    }

    private static void sort(Decision decision, List<Charge> here, List<Charge> inStore) {
        if (!decision.allowed() || !decision.ask().charges()) {
            return;
        }
        boolean local = EngineRouter.isLocal(decision);
        for (Charge charge : decision.outcome().charges(decision.ask())) {
            if (charge.isHeld()) {
                (local ? here : inStore).add(charge);
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
