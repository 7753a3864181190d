package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.LeasePolicy;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the permits of one request are known by: a number that nobody else knows. Made when first needed; for one thread at a time. */
final class PermitNonce {

    private static final SecureRandom RANDOM = new SecureRandom();

    private byte @Nullable [] bytes;

    /** A demand; one on a concurrency limit is held under a name that only this nonce leads to. */
    Demand demand(Limit limit, String key, long permits, Label label, double guard, LeasePolicy lease) {
        String holder =
                limit instanceof Concurrency concurrency ? Permit.holder(bytes(), concurrency, key, permits) : "";
        return new Demand(limit, key, permits, permits, limit.maxWaitMicros(), holder, label, guard, lease);
    }

    /** What allowed decisions let their caller hold; null if nothing. */
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
