package io.sluice.envoy.decide;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.sluice.core.limit.Limit;
import io.sluice.envoy.descriptor.DomainRules;
import io.sluice.envoy.descriptor.Unit;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The limit that a descriptor itself carries. It counts by all keys and values of the descriptor. Its rule is the rule of the
 * {@linkplain DomainRules domain}, so that no metric has a label that a client can choose.
 */
final class RequestLimit {

    private RequestLimit() {}

    /** @throws IllegalArgumentException if the limit has no unit */
    static Unit unit(RateLimitDescriptor descriptor) {
        return Unit.named(descriptor.getLimit().getUnit().name())
                .orElseThrow(() -> new IllegalArgumentException("limit.unit: unknown (expected: SECOND to YEAR)"));
    }

    static DescriptorMatch of(String domain, RateLimitDescriptor descriptor) {
        LimitName name = DomainRules.limitName(domain);
        long requests = Integer.toUnsignedLong(descriptor.getLimit().getRequestsPerUnit());
        Limit limit = Limit.named(name.counted())
                .fixedWindow(requests, unit(descriptor).length());
        List<By> by = new ArrayList<>();
        by.add(By.attribute(DescriptorRequest.KEYS));
        DescriptorRequest.names(descriptor).forEach(attribute -> by.add(By.attribute(attribute)));
        Rule rule = new Rule(
                DomainRules.limitId(domain),
                true,
                Action.LIMIT,
                Scope.EVERYTHING,
                false,
                List.of(new RuleLimit(name.reported(), limit, by, AbsentPolicy.IP, Privacy.PLAIN)),
                List.of(),
                List.of(),
                Handling.DEFAULT,
                RuleDescription.NOTHING,
                Optional.of(DomainRules.descriptor(domain)));
        return new DescriptorMatch(rule, null);
    }
}
