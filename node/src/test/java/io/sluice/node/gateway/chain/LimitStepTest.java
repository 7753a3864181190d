package io.sluice.node.gateway.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.http.answer.AnswerLanguage;
import io.sluice.http.answer.RefusalBody;
import io.sluice.node.gateway.FixedIdentity;
import io.sluice.node.gateway.RepliesClient;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.route.Access;
import io.sluice.node.gateway.spi.GatewayCall;
import io.sluice.node.gateway.spi.GatewayHandler;
import io.sluice.node.gateway.spi.Phase;
import io.sluice.node.gateway.spi.Verdict;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.engine.UnreliableEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LimitStepTest {

    private static final Logger PROVOKED = (Logger) LoggerFactory.getLogger(FailureLog.class);

    @BeforeAll
    static void silenceProvokedFailures() {
        PROVOKED.setLevel(Level.OFF);
    }

    @AfterAll
    static void restoreLog() {
        PROVOKED.setLevel(null);
    }

    private static final String ONE = "rules: [{ id: one, limits: [{ limit: 1, window: 1h }] }]";

    @Test
    void a14ExactlyTheLimitOfParallelRequestsIsAdmitted() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: ten, limits: [{ limit: 10, window: 1h }] }]")
                .start()) {
            ExecutorService threads = Executors.newFixedThreadPool(50);
            CountDownLatch go = new CountDownLatch(1);
            List<Future<List<Integer>>> all = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                all.add(threads.submit(() -> {
                    List<Integer> statuses = new ArrayList<>();
                    try (RepliesClient client = gateway.connect()) {
                        go.await();
                        // All requests are sent before the first is answered.
                        client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n".repeat(10));
                        for (int each = 0; each < 10; each++) {
                            statuses.add(client.read().status());
                        }
                    }
                    return statuses;
                }));
            }
            go.countDown();
            List<Integer> statuses = new ArrayList<>();
            for (Future<List<Integer>> each : all) {
                statuses.addAll(each.get());
            }
            threads.shutdown();
            assertThat(statuses).hasSize(500).containsOnly(200, 429);
            assertThat(statuses.stream().filter(status -> status == 200)).hasSize(10);
            assertThat(gateway.forwarded()).isEqualTo(10);
        }
    }

    @Test
    void answersCarryTheLimitAndRefusalsSayWhenToRetry() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest().rules(ONE).start()) {
            RepliesClient.Reply allowed = gateway.get("/a");
            assertThat(allowed.header("ratelimit-policy")).isEqualTo("\"one.0\";q=1;w=3600");
            assertThat(allowed.header("ratelimit")).startsWith("\"one.0\";r=0;t=");
            assertThat(allowed.header("x-ratelimit-limit")).isEqualTo("1");
            assertThat(allowed.header("retry-after")).isEmpty();
            RepliesClient.Reply refused = gateway.get("/a");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(Integer.parseInt(refused.header("retry-after"))).isBetween(1, 3_961);
            assertThat(refused.header("content-type")).isEqualTo("application/problem+json");
            assertThat(refused.header("content-language")).isEqualTo("en");
            assertThat(refused.body()).contains("\"rule\":\"one\"").contains("\"status\":429");
            assertThat(gateway.statuses()).containsExactly(200, 429);
        }
    }

    @Test
    void refusalsUseTheCallersLanguageAndTheRulesText() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest().rules("""
                        rules:
                          - { id: a, resource: /a, limits: [{ limit: 0, window: 1m }], message: { en: Slow down, zh: \u6162 } }
                          - { id: b, resource: /b, action: deny }
                        """).start()) {
            assertThat(gateway.get("/a").body()).contains("Slow down");
            RepliesClient.Reply chinese = gateway.get("/a", "Accept-Language: zh-CN, en;q=0.5");
            assertThat(chinese.body()).contains("\u6162");
            assertThat(chinese.header("content-language")).isEqualTo("zh");
            RepliesClient.Reply denied = gateway.get("/b");
            assertThat(denied.status()).isEqualTo(403);
            assertThat(denied.header("retry-after")).isEmpty();
        }
    }

    @Test
    void refusalBodiesCanBeReplacedForEachRule() throws Exception {
        RefusalBody own = (ruling, language) ->
                ruling.rule() != null && ruling.rule().id().equals("a")
                        ? new RefusalBody.Content(420, "text/plain", AnswerLanguage.EN, "calm")
                        : RefusalBody.PROBLEM.of(ruling, language);
        RefusalBody broken = (ruling, language) -> {
            throw new IllegalStateException("broken");
        };
        String rules = """
                rules:
                  - { id: a, resource: /a, limits: [{ limit: 0, window: 1m }] }
                  - { id: b, resource: /b, limits: [{ limit: 0, window: 1m }] }
                """;
        try (GatewayUnderTest gateway =
                new GatewayUnderTest().rules(rules).refusals(own).start()) {
            assertThat(gateway.get("/a").body()).isEqualTo("calm");
            assertThat(gateway.get("/a").status()).isEqualTo(420);
            assertThat(gateway.get("/b").status()).isEqualTo(429);
        }
        try (GatewayUnderTest gateway =
                new GatewayUnderTest().rules(rules).refusals(broken).start()) {
            assertThat(gateway.get("/a").status()).isEqualTo(429);
            assertThat(gateway.get("/a").body()).contains("\"rule\":\"a\"");
        }
    }

    @Test
    void exemptRequestsCarryNoHeadersAndCountNothing() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest().rules("""
                        rules:
                          - { id: office, match: { header.x-office: "yes" }, action: exempt }
                          - { id: one, limits: [{ limit: 1, window: 1h }] }
                        """).start()) {
            for (int i = 0; i < 3; i++) {
                RepliesClient.Reply exempt = gateway.get("/a", "X-Office: yes");
                assertThat(exempt.status()).isEqualTo(200);
                assertThat(exempt.header("ratelimit")).isEmpty();
            }
            assertThat(gateway.get("/a").status()).isEqualTo(200);
        }
    }

    @Test
    void a16RefusedRequestsChargeNothing() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest().rules("""
                        rules:
                          - { id: all, limits: [{ limit: 3, window: 1h }] }
                          - { id: none, resource: /no, limits: [{ limit: 0, window: 1h }] }
                        """).start()) {
            for (int i = 0; i < 5; i++) {
                assertThat(gateway.get("/no").status()).isEqualTo(429);
            }
            assertThat(gateway.get("/yes").header("ratelimit")).startsWith("\"all.0\";r=2");
        }
    }

    @Test
    void a10KeysWithSeparatorsNeverCollide() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: r, limits: [{ by: [header.x-a, header.x-b], limit: 1, window: 1h }] }]")
                .start()) {
            for (String[] headers : List.of(
                    new String[] {"X-A: a:b", "X-B: c"},
                    new String[] {"X-A: a", "X-B: b:c"},
                    new String[] {"X-A: }{", "X-B: *"},
                    new String[] {"X-A: {other}", "X-B: *"},
                    new String[] {"X-A: %0a", "X-B: *"})) {
                assertThat(gateway.get("/a", headers).status()).isEqualTo(200);
                assertThat(gateway.get("/a", headers).status()).isEqualTo(429);
            }
        }
    }

    @Test
    void a11VeryLongKeyPartsAreCountedAndNever500() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: r, limits: [{ by: header.x-a, limit: 1, window: 1h }] }]")
                .start()) {
            String value = "k".repeat(50_000);
            assertThat(gateway.get("/a", "X-A: " + value).status()).isEqualTo(200);
            assertThat(gateway.get("/a", "X-A: " + value).status()).isEqualTo(429);
            assertThat(gateway.get("/a", "X-A: " + value + "x").status()).isEqualTo(200);
            assertThat(gateway.get("/a", "X-A: \u00ff\u0080").status()).isEqualTo(200);
        }
    }

    @Test
    void a18ManyCharactersInQueriesAndPathsAreHandled() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: r, match: { query.q: \"*a*a*a*a*b\" }, action: deny }]")
                .start()) {
            assertThat(gateway.get("/a?q=" + "a".repeat(3_000)).status()).isEqualTo(200);
            assertThat(gateway.get("/a?q=" + "a".repeat(3_000) + "b").status()).isEqualTo(403);
            assertThat(gateway.get("/a?q=1&q=2").status()).isEqualTo(400);
        }
    }

    @Test
    void headersThatALimitCountsByMustOccurOnce() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: r, limits: [{ by: header.x-phone, limit: 9, window: 1h }] }]")
                .start()) {
            assertThat(gateway.get("/a", "X-Phone: 1", "x-phone: 2").status()).isEqualTo(400);
            assertThat(gateway.get("/a", "X-Other: 1", "X-Other: 2").status()).isEqualTo(200);
            assertThat(gateway.forwarded()).isEqualTo(1);
        }
    }

    @Test
    void shapedRequestsWaitForTheirSlotWithoutAThread() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .clock(QuietClock.at(0))
                .rules("rules: [{ id: r, limits: [{ algorithm: leaky_bucket, rate: 10/s, capacity: 10 }] }]")
                .start()) {
            // By a clock that stands still, each request waits a tenth of a second longer than the one before, and no
            // timer fires early.
            long start = System.nanoTime();
            List<RepliesClient> clients = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                RepliesClient client = gateway.connect();
                clients.add(client);
                client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
            }
            for (RepliesClient client : clients) {
                assertThat(client.read().status()).isEqualTo(200);
                client.close();
            }
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(400_000_000L);
        }
    }

    @Test
    void aCallerThatDisconnectsWhileWaitingIsNotForwarded() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules(
                        "rules: [{ id: r, limits: [{ algorithm: leaky_bucket, rate: 1/m, capacity: 10, max_wait: 10m }] }]")
                .start()) {
            assertThat(gateway.get("/a").status()).isEqualTo(200);
            try (RepliesClient client = gateway.connect()) {
                client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
            }
            await().until(() -> gateway.statuses().contains(499));
            assertThat(gateway.forwarded()).isEqualTo(1);
        }
    }

    @Test
    void permitsAreHeldUntilTheAnswerEndsOrTheCallerDisconnectsAndReleasedOnce() throws Exception {
        ConcurrentLinkedQueue<GatewayExchange> open = new ConcurrentLinkedQueue<>();
        UnreliableEngine store = new UnreliableEngine(new LocalEngine(Clock.system()));
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .store(store)
                .rules("rules: [{ id: r, deadline: 1m, limits: [{ algorithm: concurrency, limit: 1, ttl: 1h }] }]")
                .forwarding(open::add)
                .start()) {
            try (RepliesClient client = gateway.connect()) {
                client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
                await().until(() -> open.size() == 1);
                assertThat(gateway.get("/a").status()).isEqualTo(429);
                GatewayExchange first = open.remove();
                gateway.vertx().runOnContext(any -> first.response().end("done"));
                assertThat(client.read().status()).isEqualTo(200);
                await().until(() -> store.givenBack().size() == 1);
            }
            try (RepliesClient client = gateway.connect()) {
                client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
                await().until(() -> open.size() == 1);
            }
            await().until(() -> store.givenBack().size() == 2);
            try (RepliesClient client = gateway.connect()) {
                client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
                await().until(() -> open.size() == 2);
            }
            await().until(() -> store.givenBack().size() == 3);
            assertThat(gateway.forwarded()).isEqualTo(3);
        }
    }

    @Test
    void permitsOfLongAnswersAreRenewed() throws Exception {
        ConcurrentLinkedQueue<GatewayExchange> open = new ConcurrentLinkedQueue<>();
        ManualClock clock = QuietClock.at(0);
        Renewals store = new Renewals(new LocalEngine(clock));
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .clock(clock)
                .store(store)
                .rules("rules: [{ id: r, limits: [{ algorithm: concurrency, limit: 1, ttl: 300ms }] }]")
                .forwarding(open::add)
                .start()) {
            try (RepliesClient client = gateway.connect()) {
                client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
                await().until(() -> open.size() == 1);
                for (int i = 0; i < 9; i++) {
                    int before = store.renewed.get();
                    await().until(() -> store.renewed.get() > before);
                    clock.advance(Duration.ofMillis(200));
                    assertThat(gateway.get("/a").status()).isEqualTo(429);
                }
            }
            await().until(() -> gateway.statuses().contains(499));
            try (RepliesClient client = gateway.connect()) {
                client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
                await().until(() -> open.size() == 2);
            }
        }
    }

    /** Counts how often permits were renewed. */
    private static final class Renewals implements Engine {

        final AtomicInteger renewed = new AtomicInteger();
        private final Engine behind;

        Renewals(Engine behind) {
            this.behind = behind;
        }

        @Override
        public String name() {
            return behind.name();
        }

        @Override
        public Answer decide(Ask ask) {
            return behind.decide(ask);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            return behind.giveBack(charges);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return behind.renew(charge).thenApply(done -> {
                renewed.incrementAndGet();
                return done;
            });
        }

        @Override
        public void close() {
            behind.close();
        }
    }

    @Test
    void decisionsThatCompleteLateOnOtherThreadsContinueOnTheEventLoop() throws Exception {
        UnreliableEngine store = new UnreliableEngine(new LocalEngine(Clock.system()));
        store.setMood(UnreliableEngine.Mood.LATE);
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                        .store(store)
                        .rules("rules: [{ id: r, deadline: 1m, limits: [{ limit: 1, window: 1h }] }]")
                        .start();
                RepliesClient client = gateway.connect()) {
            client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
            await().until(() -> !store.asked().isEmpty());
            assertThat(gateway.forwarded()).isZero();
            store.deliver();
            RepliesClient.Reply reply = client.read();
            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.told("loop")).isEqualTo("true");
        }
    }

    @Test
    void thePermitOfACallerThatDisconnectedBeforeTheDecisionIsReleased() throws Exception {
        UnreliableEngine store = new UnreliableEngine(new LocalEngine(Clock.system()));
        store.setMood(UnreliableEngine.Mood.LATE);
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .store(store)
                .rules("rules: [{ id: r, deadline: 1m, limits: [{ algorithm: concurrency, limit: 1, ttl: 1h }] }]")
                .start()) {
            try (RepliesClient client = gateway.connect()) {
                client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
                await().until(() -> !store.asked().isEmpty());
            }
            await().until(() -> gateway.statuses().contains(499));
            store.deliver();
            await().until(() -> store.givenBack().size() == 1);
            assertThat(gateway.forwarded()).isZero();
        }
    }

    @Test
    void aFailingStoreNeverLetsRequestsPassClosedRules() throws Exception {
        UnreliableEngine store = new UnreliableEngine(new LocalEngine(Clock.system()));
        for (UnreliableEngine.Mood mood : List.of(
                UnreliableEngine.Mood.FAILS, UnreliableEngine.Mood.THROWS, UnreliableEngine.Mood.LOSES_QUESTION)) {
            store.setMood(mood);
            try (GatewayUnderTest gateway = new GatewayUnderTest()
                    .store(store)
                    .rules("rules: [{ id: r, on_failure: closed, limits: [{ limit: 9, window: 1h }] }]")
                    .start()) {
                RepliesClient.Reply reply = gateway.get("/a");
                assertThat(reply.status()).as(mood.name()).isIn(429, 500, 503);
                assertThat(gateway.forwarded()).isZero();
            }
        }
    }

    @Test
    void aHostHasOneCountWhateverPortIsNamed() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest().rules("""
                        rules:
                          - { id: shop, match: { header.host: shop.example }, limits: [{ limit: 1, window: 1h }] }
                          - { id: each, resource: /each, limits: [{ by: header.host, limit: 1, window: 1h }] }
                        """).start()) {
            assertThat(gateway.get("/a", "Host: shop.example").status()).isEqualTo(200);
            for (String host : List.of("shop.example", "shop.example:81", "SHOP.example", "shop.example.:8080")) {
                assertThat(gateway.get("/a", "Host: " + host).status()).isEqualTo(429);
                assertThat(gateway.get("http://" + host + "/a", "Host: " + host).status())
                        .isEqualTo(429);
            }
            assertThat(gateway.get("/each", "Host: other.example:1").status()).isEqualTo(200);
            assertThat(gateway.get("/each", "Host: Other.example:2").status()).isEqualTo(429);
            assertThat(gateway.get("/each", "Host: third.example:2").told("authority"))
                    .isEqualTo("third.example:2");
        }
    }

    @Test
    void handlersNeverOverrideVerifiedAttributes() throws Exception {
        GatewayHandler forger = new GatewayHandler() {
            @Override
            public Phase phase() {
                return Phase.AUTHENTICATED;
            }

            @Override
            public CompletionStage<Verdict> handle(GatewayCall call) {
                call.attribute("user", "forged");
                call.attribute("extra", "yes");
                return CompletableFuture.completedFuture(Verdict.GO_ON);
            }
        };
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .auth(Access.REQUIRED, new FixedIdentity("real"))
                .handlers(forger)
                .rules("""
                        rules:
                          - { id: forged, match: { user: forged }, limits: [{ limit: 0, window: 1h }] }
                          - { id: real, match: { user: real, extra: "yes" }, limits: [{ limit: 1, window: 1h }] }
                        """)
                .start()) {
            assertThat(gateway.get("/a").header("ratelimit")).startsWith("\"real.0\"");
        }
    }
}
