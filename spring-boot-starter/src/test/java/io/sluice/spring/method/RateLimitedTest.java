package io.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.RateLimited;
import io.sluice.spring.founding.LimitPoint;
import io.sluice.spring.founding.LimitType;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

/** Synchronous methods: what is limited, by which key, and what happens to refused calls. */
final class RateLimitedTest {

    private final Rig rig = new Rig();

    @AfterEach
    void clearInterrupt() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @RateLimited(window = "1m", key = "#p0")
    @interface PerMinute {
        @AliasFor(annotation = RateLimited.class, attribute = "limit")
        String value();
    }

    record Order(String user, Address address) {}

    record Address(String city) {}

    interface Api {
        @RateLimited(limit = "2", window = "1m")
        String fromTheInterface();
    }

    static class Base {
        @RateLimited(limit = "1", window = "1m")
        public void inherited() {}

        @RateLimited(limit = "1", window = "1m")
        public void replaced() {}
    }

    static class Shop extends Base implements Api {

        private final AtomicInteger calls = new AtomicInteger();

        public int calls() {
            return calls.get();
        }

        @RateLimited("sms")
        public void named(String phone) {
            calls.incrementAndGet();
        }

        @RateLimited(rule = "sms", key = "#phone")
        public void namedByKey(String phone) {}

        @RateLimited(limit = "1", window = "1m", key = "#phone")
        @RateLimited(limit = "3", window = "1h", key = "#phone")
        public void send(String phone) {
            calls.incrementAndGet();
        }

        @PerMinute("2")
        public void composed(String key) {}

        @RateLimited(limit = "10", window = "1m", permits = "#bytes", key = "#p1")
        public void bytes(long bytes, String key) {}

        @RateLimited(limit = "10", window = "1m", permits = "#items.size")
        public void batch(List<String> items) {}

        @RateLimited(limit = "1", window = "1m", condition = "#order.user != 'root'")
        public void unlessRoot(Order order) {}

        @RateLimited(limit = "1", window = "1m", key = "#order.address.city")
        public void byCity(Order order) {}

        @RateLimited(limit = "1", window = "1m", key = "{#tenant, #user}")
        public void byBoth(String tenant, String user) {}

        @RateLimited(limit = "1", window = "1m", key = "#value")
        public void byObject(Object value) {}

        @RateLimited(limit = "1", window = "1m", key = "#principal.name")
        public void byPrincipal() {}

        @RateLimited(limit = "1", window = "1m", key = "#request['header.x-phone'] ?: #request.ip")
        public void byHeader() {}

        @RateLimited(limit = "0", window = "1m", fallback = "otherwise")
        public String refused(String name) {
            return "never";
        }

        @SuppressWarnings("UnusedMethod") // called by name
        private String otherwise(String name, RateLimitExceededException refusal) {
            return name + " " + refusal.ruling().reported().rule().contains("Shop.refused-");
        }

        @RateLimited(algorithm = "sliding_log", limit = "1", window = "1s", maxWait = "5s")
        public void patient() {}

        @RateLimited(algorithm = "leaky_bucket", rate = "1/s", capacity = "5")
        public void shaped() {}

        @RateLimited(algorithm = "leaky_bucket", rate = "1/s", capacity = "5", maxWait = "0")
        public void impatient() {}

        @RateLimited(algorithm = "concurrency", limit = "1", ttl = "10s")
        public void alone(Runnable inside) {
            inside.run();
        }

        @RateLimited(id = "tuned", limit = "1", window = "1m")
        public void tuned() {}

        @Override
        public String fromTheInterface() {
            return "x";
        }

        @Override
        @RateLimited(limit = "2", window = "1m")
        public void replaced() {}

        @RateLimited(limit = "1", window = "1m")
        public void overloaded(String a) {}

        @RateLimited(limit = "1", window = "1m")
        public void overloaded(int a) {}

        @RateLimited(limit = "${shop.limit}", window = "1m")
        public void placed() {}
    }

    @RateLimited(limit = "3", window = "1m")
    static class Together {
        public void one() {}

        @RateLimited(limit = "1", window = "1m")
        public void two() {}
    }

    private ApplicationContextRunner runner() {
        if (rig.rules.version() == 0) {
            rig.inForce("rules: [{ id: sms, service: nowhere, limits: [{ by: [key], limit: 2, window: 1m }] }]");
        }
        return rig.runner(Shop.class, Together.class).withPropertyValues("shop.limit=2");
    }

    private void with(java.util.function.Consumer<Shop> test) {
        runner().run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context.getBean(Shop.class));
        });
    }

    private static int admitted(int times, Runnable call) {
        int admitted = 0;
        for (int i = 0; i < times; i++) {
            try {
                call.run();
                admitted++;
            } catch (RateLimitExceededException refusal) {
                assertThat(refusal.ruling().allowed()).isFalse();
            }
        }
        return admitted;
    }

    @Test
    void aRuleByItsNameIsAppliedWhateverItsScope() {
        with(shop -> {
            assertThat(admitted(5, () -> shop.named("1"))).isEqualTo(2);
            assertThat(shop.calls()).isEqualTo(2);
            assertThat(admitted(5, () -> shop.namedByKey("1"))).isEqualTo(2);
            assertThat(admitted(5, () -> shop.namedByKey("2"))).isEqualTo(2);
        });
    }

    @Test
    void aRuleThatChangesIsAppliedFromThenOn() {
        with(shop -> {
            assertThat(admitted(5, () -> shop.named("1"))).isEqualTo(2);
            rig.inForce("rules: [{ id: sms, limits: [{ by: [key], limit: 4, window: 1m }] }]");
            assertThat(admitted(5, () -> shop.named("1"))).isEqualTo(2);
            rig.inForce("rules: [{ id: sms, enabled: false, limits: [{ rate: 0 }] }]");
            assertThat(admitted(5, () -> shop.named("1"))).isEqualTo(5);
        });
    }

    @Test
    void attributesThatARuleCountsByComeFromTheRequest() {
        rig.inForce("rules: [{ id: sms, limits: [{ by: [user, header.x-app], limit: 1, window: 1m }] }]");
        with(shop -> {
            rig.request = Rig.request(Map.of("user", "a", "header.x-app", "1"));
            assertThat(admitted(2, () -> shop.named("1"))).isEqualTo(1);
            rig.request = Rig.request(Map.of("user", "b", "header.x-app", "1"));
            assertThat(admitted(2, () -> shop.named("1"))).isEqualTo(1);
            rig.request = Rig.request(Map.of("ip", "192.0.2.1"));
            assertThat(admitted(2, () -> shop.named("1"))).isEqualTo(1);
        });
    }

    @Test
    void repeatedLimitsAreOneDecision() {
        with(shop -> {
            assertThat(admitted(3, () -> shop.send("1"))).isEqualTo(1);
            rig.clock.advance(Duration.ofMinutes(2));
            assertThat(admitted(3, () -> shop.send("1"))).isEqualTo(1);
            rig.clock.advance(Duration.ofMinutes(2));
            assertThat(admitted(3, () -> shop.send("1"))).isEqualTo(1);
            rig.clock.advance(Duration.ofMinutes(2));
            assertThat(admitted(3, () -> shop.send("1"))).isZero();
            assertThat(admitted(3, () -> shop.send("2"))).isEqualTo(1);
            assertThat(shop.calls()).isEqualTo(4);
            assertThat(rig.told).hasSize(15);
        });
    }

    @Test
    void composedInheritedAndInterfaceAnnotationsCount() {
        with(shop -> {
            assertThat(admitted(5, () -> shop.composed("a"))).isEqualTo(2);
            assertThat(admitted(5, () -> shop.composed("b"))).isEqualTo(2);
            assertThat(admitted(5, shop::inherited)).isEqualTo(1);
            assertThat(admitted(5, shop::fromTheInterface)).isEqualTo(2);
            assertThat(admitted(5, shop::replaced)).as("the nearest counts").isEqualTo(2);
            assertThat(admitted(5, shop::placed)).isEqualTo(2);
        });
    }

    @Test
    void limitsOfClassAndMethodAddUpAndThoseOfTheClassAreOneCount() {
        runner().run(context -> {
            Together both = context.getBean(Together.class);
            assertThat(admitted(2, both::two)).isEqualTo(1);
            assertThat(admitted(5, both::one)).isEqualTo(2);
            assertThat(both.toString()).as("not limited").isNotNull();
        });
    }

    @Test
    void overloadsHaveCountsOfTheirOwn() {
        with(shop -> {
            assertThat(admitted(2, () -> shop.overloaded("a"))).isEqualTo(1);
            assertThat(admitted(2, () -> shop.overloaded(1))).isEqualTo(1);
        });
    }

    @Test
    void permitsAreWhatTheExpressionSays() {
        with(shop -> {
            assertThat(admitted(1, () -> shop.bytes(7, "a"))).isEqualTo(1);
            assertThat(admitted(1, () -> shop.bytes(4, "a"))).isZero();
            assertThat(admitted(50, () -> shop.bytes(0, "a"))).as("ask nobody").isEqualTo(50);
            assertThat(admitted(5, () -> shop.bytes(3, "a"))).isEqualTo(1);
            assertThatThrownBy(() -> shop.bytes(-1, "a"))
                    .hasMessageContaining("@RateLimited on " + Shop.class.getName() + ".bytes(long, String)")
                    .hasMessageContaining("permits: -1 (expected: 0..1000000000)");
            assertThatThrownBy(() -> shop.bytes(11, "b"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("permits: 11 (expected: at most 10");
            assertThat(admitted(5, () -> shop.batch(List.of("a", "b", "c")))).isEqualTo(3);
        });
    }

    @Test
    void aFalseConditionSkipsTheLimitAndANullOneDoesNot() {
        with(shop -> {
            assertThat(admitted(5, () -> shop.unlessRoot(new Order("root", null))))
                    .isEqualTo(5);
            assertThat(rig.told).isEmpty();
            assertThat(admitted(5, () -> shop.unlessRoot(null))).isEqualTo(1);
        });
    }

    @Test
    void aNullOnThePathOfAKeyIsAnAbsentKey() {
        with(shop -> {
            Order nowhere = new Order("u", null);
            assertThat(admitted(2, () -> shop.byCity(new Order("u", new Address("Bonn")))))
                    .isEqualTo(1);
            assertThat(admitted(2, () -> shop.byCity(nowhere))).isEqualTo(1);
            assertThat(admitted(2, () -> shop.byCity(null)))
                    .as("all of them are one count")
                    .isZero();
            rig.request = Rig.request(Map.of("ip", "192.0.2.7"));
            assertThat(admitted(2, () -> shop.byCity(nowhere))).as("by address").isEqualTo(1);
        });
    }

    @Test
    void differentKeysHaveDifferentCounts() {
        with(shop -> {
            assertThat(admitted(2, () -> shop.byBoth("a,b", "c"))).isEqualTo(1);
            assertThat(admitted(2, () -> shop.byBoth("a", "b,c"))).isEqualTo(1);
            assertThat(admitted(2, () -> shop.byBoth("a\\", "b"))).isEqualTo(1);
            assertThat(admitted(2, () -> shop.byBoth("", "b"))).isEqualTo(1);
            assertThat(admitted(2, () -> shop.byObject(17))).isEqualTo(1);
            assertThatThrownBy(() -> shop.byObject(new byte[1])).hasMessageContaining("key: a byte[]");
            assertThatThrownBy(() -> shop.byObject(new Object())).hasMessageContaining("key: a java.lang.Object");
        });
    }

    @Test
    void valuesReadByExpressionsAreNeverEvaluated() {
        with(shop -> {
            for (String text : List.of(
                    "#{T(java.lang.Runtime).getRuntime().exec('x')}",
                    "${jndi:ldap://127.0.0.1/x}",
                    "T(java.lang.System).exit(1)",
                    "#p0",
                    "' + #p0 + '")) {
                assertThat(admitted(2, () -> shop.namedByKey(text))).isEqualTo(2);
                assertThat(admitted(2, () -> shop.namedByKey(text)))
                        .as("one count for %s", text)
                        .isZero();
                assertThat(admitted(2, () -> shop.byObject(text))).isEqualTo(1);
                rig.request = Rig.request(Map.of("header.x-phone", text));
                assertThat(admitted(2, shop::byHeader)).isEqualTo(1);
            }
        });
    }

    @Test
    void callerAndRequestCanBeRead() {
        with(shop -> {
            rig.request = Rig.request(Map.of("user", "alice", "ip", "192.0.2.1", "header.x-phone", "1"));
            assertThat(admitted(2, shop::byPrincipal)).isEqualTo(1);
            assertThat(admitted(2, shop::byHeader)).isEqualTo(1);
            rig.request = Rig.request(Map.of("user", "bob", "ip", "192.0.2.1"));
            assertThat(admitted(2, shop::byPrincipal)).isEqualTo(1);
            assertThat(admitted(2, shop::byHeader)).isEqualTo(1);
        });
    }

    @Test
    void aFallbackAnswersRefusedCalls() {
        with(shop -> assertThat(shop.refused("me")).isEqualTo("me true"));
    }

    @Test
    void aRuleInForceReplacesTheLimitOfItsId() {
        with(shop -> {
            assertThat(admitted(5, shop::tuned)).isEqualTo(1);
            rig.inForce("""
                    rules:
                      - { id: sms, limits: [{ rate: 1 }] }
                      - { id: tuned, limits: [{ limit: 3, window: 1m }] }
                    """);
            assertThat(admitted(5, shop::tuned)).as("one was used").isEqualTo(2);
        });
    }

    @Test
    void waitsUpToMaxWait() throws Exception {
        with(shop -> {
            shop.patient();
            Thread waiting = new Thread(shop::patient);
            waiting.start();
            awaitWaiting(waiting);
            rig.clock.advance(Duration.ofMillis(1_001));
            join(waiting);
            assertThat(rig.told).hasSize(2).allMatch(ruling -> ruling.allowed());
        });
    }

    @Test
    void aShapedCallWaitsForItsSlotUnlessItMayNotWait() {
        with(shop -> {
            shop.shaped();
            Thread waiting = new Thread(shop::shaped);
            waiting.start();
            awaitWaiting(waiting);
            rig.clock.advance(Duration.ofSeconds(1));
            join(waiting);
            shop.impatient();
            assertThat(admitted(3, shop::impatient)).isZero();
        });
    }

    @Test
    void anInterruptedCallHoldsNothingAndItsThreadStaysInterrupted() {
        with(shop -> {
            shop.patient();
            AtomicInteger interrupted = new AtomicInteger();
            Thread waiting = new Thread(() -> {
                try {
                    shop.patient();
                } catch (CancellationException e) {
                    interrupted.set(Thread.currentThread().isInterrupted() ? 1 : -1);
                }
            });
            waiting.start();
            awaitWaiting(waiting);
            waiting.interrupt();
            join(waiting);
            assertThat(interrupted).hasValue(1);
            rig.clock.advance(Duration.ofMillis(1_001));
            shop.patient();
        });
    }

    @Test
    void permitsAreHeldUntilTheMethodEndsHoweverItEnds() {
        with(shop -> {
            shop.alone(() -> assertThat(admitted(1, () -> shop.alone(() -> {}))).isZero());
            assertThatThrownBy(() -> shop.alone(() -> {
                        throw new IllegalStateException("x");
                    }))
                    .hasMessage("x");
            shop.alone(() -> {
                for (int i = 0; i < 10; i++) {
                    rig.clock.advance(Duration.ofSeconds(4));
                    assertThat(admitted(1, () -> shop.alone(() -> {})))
                            .as("renewed")
                            .isZero();
                }
            });
            assertThat(admitted(1, () -> shop.alone(() -> {}))).isEqualTo(1);
        });
    }

    @Test
    void aMissingRuleFailsCallsOrLetsThemPassAsConfigured() {
        with(shop -> {
            rig.rules = new RuleSet(9, List.of());
            assertThatThrownBy(() -> shop.named("1")).hasMessageContaining("rule: sms (expected: a rule in force");
        });
        for (String policy : List.of("warn", "allow")) {
            runner().withPropertyValues("sluice.missing-rule=" + policy).run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(admitted(5, () -> context.getBean(Shop.class).named("1")))
                        .isEqualTo(5);
            });
        }
    }

    @Test
    void limitsCanBeDisabled() {
        for (String property : List.of("sluice.enabled=false", "sluice.annotations.enabled=false")) {
            runner().withPropertyValues(property).run(context -> assertThat(
                            admitted(5, () -> context.getBean(Shop.class).send("1")))
                    .isEqualTo(5));
        }
    }

    static class Points {
        @LimitPoint(name = "code", prefix = "sms", key = "code", period = 60, limit = 2, limitType = LimitType.CUSTOMER)
        public void custom() {}

        @LimitPoint(prefix = "sms", key = "code", limit = 2, limitType = LimitType.CUSTOMER)
        public void sameKey() {}

        @LimitPoint(limit = 1)
        public void perAddress() {}

        @LimitPoint
        public void defaults() {}

        @LimitPoint(key = "#p0", limit = 1, limitType = LimitType.CUSTOMER)
        public void plainText(String argument) {}
    }

    @Test
    void limitPointsCountAsTheFoundingDocumentsSayWithoutTheirBugs() {
        rig.runner(Points.class).run(context -> {
            Points points = context.getBean(Points.class);
            assertThat(admitted(1, points::custom)).isEqualTo(1);
            assertThat(admitted(3, points::sameKey)).as("one count for a key").isEqualTo(1);
            rig.clock.advance(Duration.ofSeconds(67));
            assertThat(admitted(3, points::custom))
                    .as("refused calls were not counted")
                    .isEqualTo(2);
            assertThat(admitted(50, points::defaults)).as("all in one instant").isEqualTo(10);
            assertThat(admitted(3, points::perAddress)).as("outside a request").isEqualTo(1);
            for (int i = 1; i < 4; i++) {
                rig.request = Rig.request(Map.of("ip", "192.0.2." + i, "header.x-forwarded-for", "198.51.100.1"));
                assertThat(admitted(3, points::perAddress)).isEqualTo(1);
            }
            assertThat(admitted(1, () -> points.plainText("a"))).isEqualTo(1);
            assertThat(admitted(1, () -> points.plainText("b")))
                    .as("not an expression")
                    .isZero();
            rig.inForce("rules: [{ id: code, limits: [{ limit: 5, window: 1s }] }]");
            assertThat(admitted(9, points::custom)).as("the rule of its name").isEqualTo(5);
        });
    }

    static class NamedPoints {
        @LimitPoint(name = "code", prefix = "sms", key = "code")
        public void keyed() {}

        @LimitPoint(name = "other")
        public void keyless() {}
    }

    @Test
    void aNamedRuleByKeyCountsEachAddressOfALimitPointSeparately() {
        rig.inForce("""
                rules:
                  - { id: code, limits: [{ by: key, absent: share, limit: 2, window: 1m }] }
                  - { id: other, limits: [{ by: key, absent: share, limit: 1, window: 1m }] }
                """);
        rig.runner(NamedPoints.class).run(context -> {
            NamedPoints points = context.getBean(NamedPoints.class);
            for (String address : List.of("192.0.2.1", "2001:db8::1")) {
                rig.request = Rig.request(Map.of("ip", address));
                assertThat(admitted(5, points::keyed)).as(address).isEqualTo(2);
                assertThat(admitted(5, points::keyless)).as(address).isEqualTo(1);
            }
            rig.request = java.util.Optional.empty();
            assertThat(admitted(5, points::keyed)).as("outside a request").isEqualTo(2);
            assertThat(admitted(5, points::keyless)).as("outside a request").isEqualTo(1);
        });
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
        assertThat(thread.isAlive()).isTrue();
    }

    private static void join(Thread thread) {
        try {
            thread.join(600_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(thread.isAlive()).isFalse();
    }
}
