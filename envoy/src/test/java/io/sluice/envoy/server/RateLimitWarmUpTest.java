package io.sluice.envoy.server;

import static io.sluice.envoy.decide.Desk.shown;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.sluice.envoy.decide.Desk;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class RateLimitWarmUpTest {

    private static final String RULES = """
            domain: d
            descriptors:
              - key: a
                descriptors:
                  - { key: b, value: x*, rate_limit: { unit: day, requests_per_unit: 1 } }
            """;

    @Test
    void asksForTheLimitsOfTheRules() {
        Desk desk = Desk.with(RULES);
        List<RateLimitRequest> requests = RateLimitWarmUp.requests(desk.set.rules());

        assertThat(requests).hasSize(1);
        assertThat(shown(desk.decider
                        .decide(requests.get(0))
                        .toCompletableFuture()
                        .join()))
                .isEqualTo("OK 1/DAY 1");
    }

    @Test
    void sendsRequestsAsLongAsItShouldAndChargesNothing() throws Exception {
        Desk desk = Desk.with(RULES);
        RateLimitRequest request = RateLimitWarmUp.requests(desk.set.rules()).get(0);
        AtomicInteger rounds = new AtomicInteger();

        EnvoyServer.warmUp(desk.decider, desk.set.rules(), () -> rounds.incrementAndGet() <= 100);

        assertThat(rounds).hasValue(101);
        RateLimitDescriptor charging =
                request.getDescriptors(0).toBuilder().clearHitsAddend().build();
        assertThat(shown(desk.ask(request.getDomain(), charging))).isEqualTo("OK 1/DAY 0");
    }

    @Test
    void withoutRulesForEnvoyAsksAnyway() throws Exception {
        Desk desk = Desk.with("rules: []");
        AtomicInteger rounds = new AtomicInteger();

        EnvoyServer.warmUp(desk.decider, desk.set.rules(), () -> rounds.incrementAndGet() <= 2);

        assertThat(rounds).hasValue(3);
    }
}
