package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Limiter;
import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which counts of a request stay together in one slot of a Redis Cluster. */
final class HashTagTest {

    private static final String RULES = """
            rules:
              - { id: everything, limits: [{ rate: 100/s }] }
              - { id: callers, limits: [{ by: ip, rate: 100/s }] }
              - id: tenants
                limits:
                  - { id: whole, by: tenant, rate: 100/s }
                  - { id: user, by: [tenant, user], rate: 100/s }
                  - { id: hidden, by: tenant, rate: 100/s, privacy: hash }
              - { id: orders, service: orders, limits: [{ id: all, rate: 100/s }, { id: user, by: user, rate: 100/s }] }
              - { id: acme, match: { tenant: acme }, limits: [{ rate: 100/s }] }
              - { id: some, match: { tenant: [acme, other] }, limits: [{ rate: 100/s }] }
              - { id: glob, match: { tenant: "ac*" }, limits: [{ rate: 100/s }] }
              - { id: here, mode: local, limits: [{ by: tenant, rate: 100/s }] }
            """;

    private static final Map<String, String> REQUEST =
            Map.of("tenant", "acme", "user", "u}{1", "service", "orders", "ip", "192.0.2.7", "path", "/");

    @Test
    void tagsOnlyCountsThatBelongToOneTenant() {
        Map<String, String> keys = keys(Optional.of("tenant"), REQUEST);
        assertThat(keys)
                .containsEntry("everything", "")
                .containsEntry("callers", "ip=192.0.2.7")
                .containsEntry("tenants.whole", "{acme}tenant=acme")
                .containsEntry("tenants.user", "{acme}tenant=acme&user=u!7d!7b1")
                .containsEntry("orders.all", "")
                .containsEntry("orders.user", "user=u!7d!7b1")
                .containsEntry("acme", "{acme}")
                .containsEntry("some", "")
                .containsEntry("glob", "");
        assertThat(keys.get("tenants.hidden")).startsWith("!h");
    }

    @Test
    void tagsOnlyCountsThatBelongToOneService() {
        assertThat(keys(Optional.of("service"), REQUEST))
                .containsEntry("everything", "")
                .containsEntry("tenants.whole", "tenant=acme")
                .containsEntry("orders.all", "{orders}")
                .containsEntry("orders.user", "{orders}user=u!7d!7b1");
    }

    @Test
    void tagsNothingWithoutATenantAndEscapesBracesInValues() {
        assertThat(keys(Optional.of("tenant"), Map.of("ip", "192.0.2.7", "path", "/")))
                .containsEntry("tenants.whole", "tenant~ip=192.0.2.7");
        assertThat(keys(Optional.of("tenant"), Map.of("tenant", "", "path", "/"))
                        .get("tenants.whole"))
                .doesNotContain("{");
        assertThat(keys(Optional.of("tenant"), Map.of("tenant", "{x}{", "path", "/")))
                .containsEntry("tenants.whole", "{!7bx!7d!7b}tenant=!7bx!7d!7b");
        assertThat(keys(Optional.empty(), Map.of("tenant", "{x}", "path", "/")))
                .containsEntry("tenants.whole", "tenant=!7bx!7d");
    }

    @Test
    void refusesAnAttributeWithoutAName() {
        assertThatThrownBy(() -> new KeySettings(KeySecret.random(), 64, Optional.of(" ")))
                .hasMessage("hash_tag: empty (expected: an attribute, such as tenant or service)");
    }

    /** Returns the keys of all demands that reach the store, by the name of their limits. */
    private static Map<String, String> keys(Optional<String> hashTag, Map<String, String> request) {
        ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
        KeySettings form = new KeySettings(KeySecret.random(), 64, hashTag);
        List<Demand> demands = new ArrayList<>();
        RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("test", RULES)).rules());
        try (LocalEngine local = new LocalEngine(clock)) {
            Evaluator evaluator = new Evaluator(
                    () -> set,
                    new Limiter(local, clock, List.of()),
                    new Limiter(recording(local, demands), clock, List.of()),
                    form,
                    clock,
                    (ruling, nanos) -> {});
            assertThat(evaluator.evaluate(Attributes.of(request), 1)).isCompleted();
        }
        Map<String, String> keys = new HashMap<>();
        demands.forEach(demand -> keys.put(demand.limit().name(), demand.key()));
        assertThat(keys).doesNotContainKey("here");
        return keys;
    }

    private static Engine recording(Engine engine, List<Demand> demands) {
        return new ForwardingEngine(engine) {
            @Override
            public String name() {
                return "store";
            }

            @Override
            public Answer decide(Ask ask) {
                demands.addAll(ask.demands());
                return engine.decide(ask);
            }

            @Override
            public void close() {}
        };
    }
}
