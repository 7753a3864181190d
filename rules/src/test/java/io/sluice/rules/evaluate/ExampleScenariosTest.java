package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.model.Action;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.FileDocuments;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The rule files under examples/rules do what they say. */
final class ExampleScenariosTest {

    private final ManualClock clock =
            QuietClock.at(Instant.parse("2026-11-02T08:00:00Z").getEpochSecond() * 1_000_000);
    private final Limiter limiter =
            new Limiter(LocalEngine.builder().clock(clock).maxKeys(2_000_000).build(), clock, List.of());

    @Test
    void everyLevelHoldsAndARefusalChargesNone() {
        Evaluator evaluator = rules("multi-level.yaml");
        long served = 0;
        for (int i = 0; i < 30_000; i++) {
            String service =
                    List.of("user-service", "order-service", "search-service").get(i % 3);
            String address = "192.0." + i / 250 % 120 + "." + i % 250;
            served += allowed(evaluator, "service", service, "path", "/x", "ip", address) ? 1 : 0;
        }
        // Each service has used its burst of one second. The limits by address and the global limit have room for
        // more.
        assertThat(served).isEqualTo(2_000 + 5_000 + 4_000);
        Settled refused = check(evaluator, "service", "user-service", "path", "/x", "ip", "198.18.0.1");
        assertThat(Objects.requireNonNull(refused.reported()).id()).isEqualTo("user-service.0");
        clock.advance(Duration.ofSeconds(1));
        int fromOneAddress = 0;
        for (int i = 0; i < 100; i++) {
            fromOneAddress += allowed(evaluator, "service", "search-service", "ip", "198.18.0.1") ? 1 : 0;
        }
        assertThat(fromOneAddress)
                .as("what was refused before was not charged to the address")
                .isEqualTo(60);
        assertThat(check(evaluator, "ip", "10.3.2.1").action()).isEqualTo(Action.EXEMPT);
        assertThat(check(evaluator, "ip", "203.0.113.9").action()).isEqualTo(Action.DENY);
    }

    @Test
    void fiveLoginsAMinuteFromAnAddressAndThreeForAName() {
        Evaluator evaluator = rules("login.yaml");
        int forOneName = 0;
        for (int i = 0; i < 10; i++) {
            forOneName += login(evaluator, "192.0.2." + i, "alice").allowed() ? 1 : 0;
        }
        assertThat(forOneName).isEqualTo(3);
        int fromOneAddress = 0;
        for (int i = 0; i < 10; i++) {
            fromOneAddress += login(evaluator, "198.18.0.1", "user" + i).allowed() ? 1 : 0;
        }
        assertThat(fromOneAddress).isEqualTo(5);
        Settled refused = login(evaluator, "198.18.0.1", "user11");
        assertThat(refused.retryAfter()).contains(Duration.ofMinutes(1));
        assertThat(Objects.requireNonNull(refused.rule())
                        .about()
                        .message()
                        .orElseThrow()
                        .in("zh"))
                .contains("一分钟");
        assertThat(allowed(
                        evaluator,
                        "service",
                        "user-service",
                        "path",
                        "/api/login",
                        "method",
                        "POST",
                        "ip",
                        "198.18.0.2"))
                .as("a login without a name")
                .isFalse();
        clock.advance(Duration.ofMinutes(1));
        assertThat(login(evaluator, "198.18.0.1", "alice").allowed()).isTrue();
    }

    @Test
    void oneMessageAMinuteFiveAnHourTenADay() {
        Evaluator evaluator = rules("sms.yaml");
        int inADay = 0;
        for (int minute = 0; minute < 24 * 60; minute++) {
            int inAMinute = 0;
            for (int i = 0; i < 3; i++) {
                inAMinute += sms(evaluator) ? 1 : 0;
            }
            assertThat(inAMinute).isLessThanOrEqualTo(1);
            inADay += inAMinute;
            if (minute == 59) {
                assertThat(inADay).isEqualTo(5);
            }
            clock.advance(Duration.ofMinutes(1));
        }
        assertThat(inADay).isEqualTo(10);
    }

    @Test
    void aThousandASecondWhileAMillionComeInAnHour() {
        Evaluator evaluator = rules("flash-sale.yaml");
        int bought = 0;
        int seconds = 20;
        // A million per hour is 278 per second on average, and much more in the first seconds.
        for (int i = 0; i < seconds * 5_000; i++) {
            bought += allowed(evaluator, "path", "/api/sale/1/buy", "method", "POST", "user", "u" + i) ? 1 : 0;
            if (i % 5_000 == 4_999) {
                clock.advance(Duration.ofSeconds(1));
            }
        }
        assertThat(bought).isEqualTo(seconds * 1_000);
        clock.advance(Duration.ofMinutes(1));
        int ofOne = 0;
        for (int i = 0; i < 10; i++) {
            ofOne += allowed(evaluator, "path", "/api/sale/1/buy", "method", "POST", "user", "bot") ? 1 : 0;
        }
        assertThat(ofOne).isEqualTo(1);
        Settled page = check(evaluator, "path", "/sale/home");
        assertThat(page.waitFor()).isZero();
        assertThat(check(evaluator, "path", "/sale/home").waitFor()).isEqualTo(Duration.ofNanos(200_000));
    }

    @Test
    void plansAndTenantsHaveTheirOwnNumbers() {
        Evaluator evaluator = rules("tenants.yaml");
        assertThat(inAMinute(evaluator, "t-free", "free", 200)).isEqualTo(100);
        assertThat(inAMinute(evaluator, "t-paid", "paid", 1_500)).isEqualTo(1_000);
        assertThat(inAMinute(evaluator, "t-vip", "vip", 12_000)).isEqualTo(10_000);
        assertThat(inAMinute(evaluator, "t-free", "paid", 2_000))
                .as("an upgrade keeps what was used")
                .isEqualTo(900);
    }

    @Test
    void oneTenantHasAHundredThousandADay() {
        Evaluator evaluator = rules("tenants.yaml");
        long day = 0;
        for (int minute = 0; minute < 25; minute++) {
            day += inAMinute(evaluator, "acme", "free", 5_000);
            clock.advance(Duration.ofSeconds(66));
        }
        assertThat(day).isEqualTo(100_000);
        // The day of this tenant ends at midnight in Berlin.
        clock.advance(Duration.between(now(), Instant.parse("2026-11-02T23:00:00Z")));
        assertThat(inAMinute(evaluator, "acme", "free", 10)).isEqualTo(10);
    }

    @Test
    void callsToAThirdPartyAreSpreadAndStayWithinTheContract() {
        Evaluator evaluator = rules("outbound.yaml");
        for (int i = 0; i < 101; i++) {
            Settled call = check(evaluator, "app", "maps-client");
            assertThat(call.allowed()).as("call %d", i).isTrue();
            assertThat(call.waitFor()).isEqualTo(Duration.ofMillis(20L * i));
        }
        assertThat(check(evaluator, "app", "maps-client").allowed())
                .as("more than wait for two seconds")
                .isFalse();
        for (int i = 0; i < 20; i++) {
            assertThat(check(evaluator, "app", "payment-client").allowed()).isTrue();
        }
        assertThat(Objects.requireNonNull(
                                check(evaluator, "app", "payment-client").reported())
                        .id())
                .isEqualTo("payment-provider.in-flight");
    }

    @Test
    void theFoundingShapeLimitsTheResourceAndEachOfItsDimensions() {
        Evaluator evaluator = rules("founding.yaml");
        int ofOneUser = 0;
        for (int i = 0; i < 50; i++) {
            ofOneUser += allowed(evaluator, "path", "/api/order/create", "userId", "u", "tenantId", "t") ? 1 : 0;
        }
        assertThat(ofOneUser).isEqualTo(20);
        int ofAll = ofOneUser;
        for (int i = 0; i < 500; i++) {
            ofAll += allowed(evaluator, "path", "/api/order/create", "user", "u" + i, "tenant", "t") ? 1 : 0;
        }
        assertThat(ofAll).as("the burst of the resource").isEqualTo(200);
    }

    private Instant now() {
        return Instant.ofEpochSecond(clock.epochMicros() / 1_000_000);
    }

    private long inAMinute(Evaluator evaluator, String tenant, String plan, int requests) {
        long passed = 0;
        for (int i = 0; i < requests; i++) {
            Settled ruling = check(evaluator, "tenant", tenant, "plan", plan, "user", "u" + i);
            passed += ruling.allowed() ? 1 : 0;
            for (Decision decision : ruling.decisions()) {
                limiter.hold(decision).close();
            }
        }
        return passed;
    }

    private static Settled login(Evaluator evaluator, String ip, String name) {
        return check(
                evaluator,
                "service",
                "user-service",
                "path",
                "/api/login",
                "method",
                "POST",
                "ip",
                ip,
                "json.username",
                name);
    }

    @Test
    void noMinuteHasASixthPaymentOfAnAccountAndNoSecondAFiftyFirst() {
        Evaluator evaluator = rules("payment.yaml");
        clock.advance(Duration.ofSeconds(58));
        for (int i = 0; i < 5; i++) {
            assertThat(pay(evaluator, "A-17").allowed()).isTrue();
        }
        clock.advance(Duration.ofSeconds(4));
        Settled refused = pay(evaluator, "A-17");
        assertThat(refused.retryAfter()).contains(Duration.ofSeconds(56));
        assertThat(Objects.requireNonNull(refused.rule()).handling().onFailure())
                .isEqualTo(FailurePolicy.CLOSED);
        int fromOthers = 0;
        for (int i = 0; i < 100; i++) {
            fromOthers += pay(evaluator, "B-" + i).allowed() ? 1 : 0;
        }
        assertThat(fromOthers).isEqualTo(50);
        // A payment that the bank's limit refused was not charged to its account.
        clock.advance(Duration.ofMinutes(1));
        for (int i = 0; i < 5; i++) {
            assertThat(pay(evaluator, "B-99").allowed()).isTrue();
        }
    }

    private static Settled pay(Evaluator evaluator, String account) {
        return check(
                evaluator,
                "service",
                "payment-service",
                "path",
                "/api/payments",
                "method",
                "POST",
                "json.account",
                account);
    }

    private static boolean sms(Evaluator evaluator) {
        return allowed(evaluator, "path", "/sms/send", "method", "POST", "header.X-Phone", "+49 170 1234567");
    }

    private Evaluator rules(String file) {
        RuleDocument document = FileDocuments.read(Path.of("..", "examples", "rules", file));
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) document).rules());
        return new Evaluator(() -> set, limiter, null, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {});
    }

    private static boolean allowed(Evaluator evaluator, String... attributes) {
        return check(evaluator, attributes).allowed();
    }

    private static Settled check(Evaluator evaluator, String... attributes) {
        Map<String, String> request = new HashMap<>();
        for (int i = 0; i < attributes.length; i += 2) {
            request.put(attributes[i], attributes[i + 1]);
        }
        return (Settled) evaluator
                .evaluate(Attributes.of(request), 1)
                .toCompletableFuture()
                .join();
    }
}
