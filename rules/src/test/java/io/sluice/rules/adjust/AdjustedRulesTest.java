package io.sluice.rules.adjust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdjustedRulesTest {

    private static final String RULES = """
            rules:
              - id: orders
                service: shop
                limits: [{ id: user, by: user, limit: 2, window: 1h }]
                overrides: [{ when: { plan: vip }, rate: 9 }]
              - { id: secret, service: mail, limits: [{ by: user, limit: 2, window: 1h, privacy: hash }] }
              - { id: address, service: web, limits: [{ by: ip, limit: 2, window: 1h }] }
              - { id: together, service: all, limits: [{ limit: 2, window: 1h }] }
              - { id: banned, service: bad, action: deny }
              - { id: free, service: good, action: exempt }
            """.replace("rate: 9", "limit: 9");

    private final ManualClock clock = QuietClock.at(1_700_000_000_000_000L);
    private final Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
    private final RuleSet released = rules();
    private RuleSet inForce = released;
    private final KeySettings keys = KeySettings.ofThisProcess();
    private final Evaluator evaluator = new Evaluator(() -> inForce, limiter, null, keys, clock, (ruling, nanos) -> {});

    @Test
    void givesOneCallerOtherNumbersUntilTheyExpire() {
        adjust(override("orders", "orders.user", new Caller.ByValue("user", "u-17"), "{\"limit\":5}"));

        assertThat(admitted("shop", "u-17")).isEqualTo(5);
        assertThat(admitted("shop", "u-18")).isEqualTo(2);
        clock.advance(Duration.ofHours(3));
        assertThat(admitted("shop", "u-17")).isEqualTo(2);
    }

    @Test
    void comesBeforeTheOverridesOfTheRule() {
        adjust(override("orders", "orders.user", new Caller.ByValue("user", "u-17"), "{\"limit\":1}"));

        assertThat(admitted(Map.of("service", "shop", "user", "u-17", "plan", "vip")))
                .isEqualTo(1);
        assertThat(admitted(Map.of("service", "shop", "user", "u-18", "plan", "vip")))
                .isEqualTo(9);
    }

    @Test
    void takesAValueLiterally() {
        adjust(override("orders", "orders.user", new Caller.ByValue("user", "u*"), "{\"limit\":5}"));

        assertThat(admitted("shop", "u-17")).isEqualTo(2);
        assertThat(admitted("shop", "u*")).isEqualTo(5);
    }

    @Test
    void takesAnAddressOrABlock() {
        adjust(override("address", "address.0", new Caller.ByValue("ip", "203.0.113.0/24"), "{\"limit\":5}"));

        assertThat(admitted(Map.of("service", "web", "ip", "203.0.113.9"))).isEqualTo(5);
        assertThat(admitted(Map.of("service", "web", "ip", "198.51.100.1"))).isEqualTo(2);
    }

    @Test
    void knowsACallerByItsHashWhetherTheLimitHashesOrNot() {
        adjust(adjustments(
                List.of(
                        override("orders", "orders.user", new Caller.ByHash(hash("user", "u-17")), "{\"limit\":5}"),
                        override("secret", "secret.0", new Caller.ByHash(hash("user", "u-17")), "{\"limit\":6}"),
                        override(
                                "address", "address.0", new Caller.ByHash(hash("ip", "2001:db8::7")), "{\"limit\":7}")),
                List.of()));

        assertThat(admitted("shop", "u-17")).isEqualTo(5);
        assertThat(admitted("shop", "u-18")).isEqualTo(2);
        assertThat(admitted("mail", "u-17")).isEqualTo(6);
        assertThat(admitted("mail", "u-18")).isEqualTo(2);
        // The hash stands for the network, because the network is what the limit counts.
        assertThat(admitted(Map.of("service", "web", "ip", "2001:db8::8"))).isEqualTo(7);
        assertThat(admitted(Map.of("service", "web", "ip", "2001:db8:0:1::7"))).isEqualTo(2);
        clock.advance(Duration.ofHours(3));
        assertThat(admitted("shop", "u-17")).isEqualTo(2);
    }

    /** The hash is made with a secret, so it names nobody in a process with another secret. */
    @Test
    void aHashOfAnotherSecretNamesNobody() {
        String other = new CallerMarks(KeySettings.ofThisProcess())
                .of(released, "user", Attributes.of(Map.of("user", "u-17")))
                .orElseThrow()
                .hash();
        adjust(override("orders", "orders.user", new Caller.ByHash(other), "{\"limit\":5}"));

        assertThat(admitted("shop", "u-17")).isEqualTo(2);
    }

    private String hash(String attribute, String value) {
        return new CallerMarks(keys)
                .of(released, attribute, Attributes.of(Map.of(attribute, value)))
                .orElseThrow()
                .hash();
    }

    @Test
    void staysTheSameVersion() {
        adjust(override("orders", "orders.user", new Caller.ByValue("user", "u-17"), "{\"limit\":5}"));

        assertThat(inForce.stamp()).isEqualTo(released.stamp());
        assertThat(inForce.rules()).isEqualTo(released.rules());
        assertThat(inForce.adjustments()).isEqualTo(7);
        assertThat(new Evaluator(() -> inForce, limiter, null, KeySettings.ofThisProcess(), clock, (r, n) -> {})
                        .rules()
                        .digest())
                .isEqualTo(rules().digest());
    }

    @Test
    void switchesOneRuleToShadow() {
        AdjustedRules adjusted = adjust(new ShadowSwitch("s-1", Optional.of("orders"), in(Duration.ofHours(1))));

        assertThat(admitted("shop", "u-17")).isEqualTo(20);
        assertThat(admitted("mail", "u-17")).isEqualTo(2);
        assertThat(adjusted.until()).contains(in(Duration.ofHours(1)));
        clock.advance(Duration.ofHours(1));
        assertThat(AdjustedRules.of(released, adjustments(List.of(), List.of()), now())
                        .until())
                .isEmpty();
    }

    @Test
    void countsWhatASwitchedRuleWouldRefuse() {
        adjust(new ShadowSwitch("s-1", Optional.empty(), in(Duration.ofHours(1))));

        assertThat(admitted("shop", "u-17")).isEqualTo(20);
        Settled last = settled(Map.of("service", "shop", "user", "u-17"));
        assertThat(last.shadowRefused()).extracting(label -> label.limit()).containsExactly("orders.user");
    }

    @Test
    void switchesARuleThatDeniesOnlyByName() {
        adjust(new ShadowSwitch("s-1", Optional.empty(), in(Duration.ofHours(1))));
        assertThat(admitted("bad", "u-17")).isZero();
        adjust(new ShadowSwitch("s-2", Optional.of("banned"), in(Duration.ofHours(1))));
        assertThat(admitted("bad", "u-17")).isEqualTo(20);
    }

    @Test
    void leavesOutWhatDoesNotFit() {
        AdjustedRules adjusted = AdjustedRules.of(
                released,
                adjustments(
                        List.of(
                                override("gone", "gone.0", new Caller.ByValue("user", "u"), "{\"limit\":5}"),
                                override("orders", "orders.user", new Caller.ByValue("user", "u-17"), "{\"limit\":5}")),
                        List.of(new ShadowSwitch("s-1", Optional.of("lost"), in(Duration.ofHours(1))))),
                now());
        inForce = adjusted.rules();

        assertThat(adjusted.problems())
                .containsExactly(
                        "s-1: rule: lost (expected: a rule in force)", "o-1: rule: gone (expected: a rule in force)");
        assertThat(admitted("shop", "u-17")).isEqualTo(5);
    }

    @Test
    void saysWhyAnOverrideDoesNotFit() {
        assertThat(fault("orders", "orders.1", new Caller.ByValue("user", "u"), "{\"limit\":5}"))
                .contains("limit: orders.1 (expected: orders.user)");
        assertThat(fault("orders", "orders.user", new Caller.ByValue("tenant", "t"), "{\"limit\":5}"))
                .contains("attribute: tenant (expected: what orders.user counts by: user)");
        assertThat(fault("together", "together.0", new Caller.ByValue("user", "u"), "{\"limit\":5}")
                        .orElseThrow())
                .contains("one count for all");
        assertThat(fault("banned", "banned.0", new Caller.ByValue("user", "u"), "{\"limit\":5}")
                        .orElseThrow())
                .contains("a rule with limits");
        assertThat(fault("orders", "orders.user", new Caller.ByValue("user", "u"), "{\"rate\":\"5/s\"}")
                        .orElseThrow())
                .startsWith("numbers: rate: not a number of sliding_window");
        assertThat(fault("orders", "orders.user", new Caller.ByValue("user", "u"), "{\"limit\":-5}")
                        .orElseThrow())
                .startsWith("numbers: limit: -5");
        assertThat(fault("orders", "orders.user", new Caller.ByValue("user", "u"), "{}")
                        .orElseThrow())
                .startsWith("numbers: none");
        assertThat(fault("orders", "orders.user", new Caller.ByValue("user", "u"), "{\"limit\":5,\"keep\":1}")
                        .orElseThrow())
                .startsWith("numbers: keep for one caller (expected: numbers such as rate or limit");
        assertThat(fault("orders", "orders.user", new Caller.ByValue("user", "u"), "{\"limit\":5}],\"a\":[{}"))
                .isPresent();
        assertThat(fault("orders", "orders.user", new Caller.ByValue("user", "u"), "nothing"))
                .isPresent();
        assertThat(fault("together", "together.0", new Caller.ByHash("a".repeat(43)), "{\"limit\":5}")
                        .orElseThrow())
                .contains("one count for all");
        assertThat(fault("orders", "orders.user", new Caller.ByHash("a".repeat(43)), "{\"limit\":5}"))
                .isEmpty();
        assertThat(fault("address", "address.0", new Caller.ByValue("ip", "somewhere"), "{\"limit\":5}"))
                .isPresent();
        assertThat(fault("orders", "orders.user", new Caller.ByValue("user", "u"), "{\"limit\":5}"))
                .isEmpty();
    }

    @Test
    void readsWhatItWrites() {
        Adjustments all = adjustments(
                List.of(
                        override("orders", "orders.user", new Caller.ByValue("user", "u\"\n\u4f60"), "{\"limit\":5}"),
                        override("secret", "secret.0", new Caller.ByHash("b".repeat(43)), "{\"limit\":5}")),
                List.of(
                        new ShadowSwitch("s-1", Optional.empty(), in(Duration.ofHours(1))),
                        new ShadowSwitch("s-2", Optional.of("orders"), in(Duration.ofHours(2)))));

        assertThat(Adjustments.parse(all.toJson())).isEqualTo(all);
        assertThat(Adjustments.parse(Adjustments.NONE.toJson())).isEqualTo(Adjustments.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"revision\":-1,\"overrides\":[],\"switches\":[]}",
                "{\"revision\":1,\"overrides\":{},\"switches\":[]}",
                "{\"revision\":1,\"overrides\":[1],\"switches\":[]}",
                "{\"revision\":1,\"overrides\":[{}],\"switches\":[]}",
                "{\"revision\":1,\"overrides\":[],\"switches\":[{\"id\":\"s\",\"rule\":\"*\",\"until\":\"soon\"}]}"
            })
    void refusesOtherTexts(String text) {
        assertThatThrownBy(() -> Adjustments.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private Optional<String> fault(String rule, String limit, Caller caller, String numbers) {
        return AdjustedRules.fault(released, override(rule, limit, caller, numbers));
    }

    private CallerOverride override(String rule, String limit, Caller caller, String numbers) {
        return new CallerOverride("o-1", rule, limit, caller, numbers, in(Duration.ofHours(2)));
    }

    private AdjustedRules adjust(CallerOverride override) {
        return adjust(adjustments(List.of(override), List.of()));
    }

    private AdjustedRules adjust(ShadowSwitch off) {
        return adjust(adjustments(List.of(), List.of(off)));
    }

    private AdjustedRules adjust(Adjustments adjustments) {
        AdjustedRules adjusted = AdjustedRules.of(released, adjustments, now());
        inForce = adjusted.rules();
        return adjusted;
    }

    private static Adjustments adjustments(List<CallerOverride> overrides, List<ShadowSwitch> switches) {
        return new Adjustments(7, overrides, switches);
    }

    private int admitted(String service, String user) {
        return admitted(Map.of("service", service, "user", user));
    }

    private int admitted(Map<String, String> request) {
        int admitted = 0;
        for (int i = 0; i < 20; i++) {
            admitted += settled(request).allowed() ? 1 : 0;
        }
        return admitted;
    }

    private Settled settled(Map<String, String> request) {
        return (Settled) evaluator
                .evaluate(Attributes.of(request), 1)
                .toCompletableFuture()
                .join();
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.epochMicros() / 1_000);
    }

    private Instant in(Duration time) {
        return now().plus(time);
    }

    private static RuleSet rules() {
        RuleDocument document = RuleDocument.parse("rules.yaml", RULES);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(12, ((RuleDocument.Accepted) document).rules());
    }
}
