package io.sluice.envoy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.sluice.core.Limit;
import io.sluice.rules.About;
import io.sluice.rules.Absent;
import io.sluice.rules.Action;
import io.sluice.rules.By;
import io.sluice.rules.Handling;
import io.sluice.rules.LimitName;
import io.sluice.rules.Privacy;
import io.sluice.rules.Rule;
import io.sluice.rules.RuleLimit;
import io.sluice.rules.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The limit that a descriptor brings itself. It counts by all keys and values of the descriptor; its rule is that of the {@linkplain
 * DomainRules domain}, so that no metric takes what a client can choose.
 */
final class RequestLimit {

    private RequestLimit() {}

    /** @throws IllegalArgumentException if it has no unit */
    static Unit unit(RateLimitDescriptor descriptor) {
        return Unit.named(descriptor.getLimit().getUnit().name())
                .orElseThrow(() -> new IllegalArgumentException("limit.unit: unknown (expected: SECOND to YEAR)"));
    }

    static Found of(String domain, RateLimitDescriptor descriptor) {
        LimitName name = DomainRules.limitName(domain);
        long requests = Integer.toUnsignedLong(descriptor.getLimit().getRequestsPerUnit());
        Limit limit = Limit.named(name.counted())
                .fixedWindow(requests, unit(descriptor).length());
        List<By> by = new ArrayList<>();
        by.add(By.attribute(Asked.KEYS));
        Asked.names(descriptor).forEach(attribute -> by.add(By.attribute(attribute)));
        Rule rule = new Rule(
                DomainRules.limitId(domain),
                true,
                Action.LIMIT,
                Scope.EVERYTHING,
                false,
                List.of(new RuleLimit(name.reported(), limit, by, Absent.IP, Privacy.PLAIN)),
                List.of(),
                List.of(),
                Handling.DEFAULT,
                About.NOTHING,
                Optional.of(DomainRules.descriptor(domain)));
        return new Found(rule, null);
    }
}
