package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.CallerKey;
import io.sluice.rules.caller.CallerKeys;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.side.Side;
import io.sluice.rules.side.Sides;
import io.sluice.rules.snapshot.CompiledRule;
import io.sluice.rules.snapshot.CompiledRule.InForce;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Binds the limits of one rule to a request: finds the numbers that are in force for it, the count that it uses, and its cost. Immutable,
 * except for the nonce.
 *
 * @param permits the permits that the caller asks for; with 0, the request only looks
 * @param reserves whether the caller settles every limit that can be settled
 * @param sides the sides that can decide the limits
 */
record LimitBinder(
        CompiledRule ready,
        Attributes request,
        long permits,
        boolean reserves,
        Sides sides,
        CallerKeys keys,
        Clock clock,
        PermitNonce nonce) {

    List<BoundLimit> limits() {
        List<RuleLimit> limits = ready.rule().limits();
        List<BoundLimit> bound = new ArrayList<>(limits.size());
        for (int i = 0; i < limits.size(); i++) {
            bind(limits.get(i), override(i), ready.rule().shadow(), bound);
        }
        return bound;
    }

    private Optional<InForce> override(int position) {
        if (ready.hasKeyedNumbers(position)) {
            RuleLimit limit = ready.rule().limits().get(position);
            Optional<InForce> keyed = ready.keyed(position, keys.keyedHash(limit.by(), limit.absent(), request), clock);
            if (keyed.isPresent()) {
                return keyed;
            }
        }
        return ready.override(position, request, clock);
    }

    List<BoundLimit> candidates() {
        if (ready.rule().candidate().isEmpty()) {
            return List.of();
        }
        List<BoundLimit> bound = new ArrayList<>();
        ready.rule().candidate().forEach(limit -> bind(limit, Optional.empty(), true, bound));
        return bound;
    }

    private void bind(RuleLimit limit, Optional<InForce> override, boolean shadow, List<BoundLimit> bound) {
        CallerKey key = keys.key(limit.by(), limit.absent(), limit.privacy(), request);
        if (key instanceof CallerKey.Skipped) {
            return;
        }
        Rule rule = ready.rule();
        Side side = sides.of(rule);
        boolean remote = side.remote();
        Limit numbers = override.map(InForce::numbers).orElse(limit.limit());
        // A look asks for the cost of one permit.
        long asked = Math.max(1, permits);
        long cost = limit.cost().isEmpty() ? asked : limit.cost().get().permits(request, asked);
        boolean free = cost == 0;
        if (free && !reserves && limit.cost().flatMap(Cost::settling).isEmpty()) {
            // No permits are charged now or later.
            return;
        }
        long keep = override.isPresent() ? override.get().keep() : 0;
        Demand demand = key instanceof CallerKey.Of of
                ? nonce.demand(
                        numbers,
                        remote ? tagged(of.text(), limit) : of.text(),
                        Math.min(Limit.MAX_PERMITS, cost),
                        free ? Math.max(1, keep) : keep,
                        BoundLimit.label(rule, limit, side),
                        remote ? guard(rule) : Demand.UNGUARDED,
                        remote ? ready.lease() : LeasePolicy.NONE)
                : null;
        long charged = permits == 0 ? 0 : cost;
        bound.add(new BoundLimit(rule, limit, numbers, override.isPresent(), charged, keep, demand, side, shadow));
    }

    private String tagged(String key, RuleLimit limit) {
        return keys.tagged(key, ready.rule().scope(), limit.by(), limit.privacy(), request);
    }

    private static double guard(Rule rule) {
        return rule.handling().guard().orElse(Demand.UNGUARDED);
    }
}
