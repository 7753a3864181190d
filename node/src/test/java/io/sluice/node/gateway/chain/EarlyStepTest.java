package io.sluice.node.gateway.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.http.request.CallerAddress;
import io.sluice.http.request.ForwardingHeader;
import io.sluice.http.request.TrustedProxies;
import io.sluice.node.gateway.RepliesClient;
import io.sluice.node.gateway.auth.Authentication;
import io.sluice.node.gateway.auth.Authenticators;
import io.sluice.node.gateway.auth.Identity;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.route.Access;
import io.sluice.node.gateway.spi.GatewayCall;
import io.sluice.node.gateway.spi.GatewayHandler;
import io.sluice.node.gateway.spi.Phase;
import io.sluice.node.gateway.spi.Verdict;
import io.sluice.rules.pattern.Network;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.engine.UnreliableEngine;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Attack A35: guesses, forged tokens and searches for paths, before anybody is authenticated. */
class EarlyStepTest {

    private static final String GUESSING = """
            rules:
              - id: guessing
                for: early
                match: { answer.status: [401, 403, 404] }
                limits: [{ by: ip, limit: 3, window: 1h }]
            """;

    private static final String MALLORY = "X-Forwarded-For: 203.0.113.9";
    private static final String ALICE = "X-Forwarded-For: 198.51.100.1";
    private static final String RIGHT = "X-API-Key: right";

    private final OneKey keys = new OneKey();
    private final GatewayUnderTest gateway = new GatewayUnderTest()
            .auth(Access.REQUIRED, keys)
            .caller(new CallerAddress(
                    new TrustedProxies.Within(List.of(Network.parse("127.0.0.0/8"))),
                    List.of(ForwardingHeader.X_FORWARDED_FOR)));

    @AfterEach
    void close() throws Exception {
        gateway.close();
    }

    @Test
    void a35GuessedKeysAreLimitedByAddressAndThenNotCheckedAnyMore() throws Exception {
        gateway.rules(GUESSING).start();
        for (int i = 0; i < 3; i++) {
            assertThat(status("/a", MALLORY, "X-API-Key: guess-" + i)).isEqualTo(401);
        }
        assertThat(keys.checked).hasValue(3);

        RepliesClient.Reply refusal = gateway.get("/a", MALLORY, "X-API-Key: guess-3");

        assertThat(refusal.status()).isEqualTo(429);
        assertThat(refusal.header("retry-after")).isNotEmpty();
        assertThat(refusal.body()).contains("\"rule\":\"guessing\"");
        assertThat(status("/a", MALLORY, RIGHT)).isEqualTo(429);
        assertThat(keys.checked).hasValue(3);
        assertThat(status("/a", ALICE, RIGHT)).isEqualTo(200);
        assertThat(status("/a", ALICE, "X-API-Key: typo")).isEqualTo(401);
        assertThat(gateway.forwarded()).isEqualTo(1);
    }

    @Test
    void a35CallersWithoutCredentialsAreCountedToo() throws Exception {
        gateway.rules(GUESSING).start();
        for (int i = 0; i < 5; i++) {
            assertThat(status("/a", MALLORY)).isEqualTo(i < 3 ? 401 : 429);
        }
    }

    @Test
    void a35DeniedAddressesAreRefusedBeforeAuthentication() throws Exception {
        gateway.rules("rules: [{ id: banned, match: { ip: 203.0.113.0/24 }, action: deny }]")
                .start();

        assertThat(status("/a", MALLORY)).isEqualTo(403);
        assertThat(status("/a", MALLORY, RIGHT)).isEqualTo(403);
        assertThat(status("/a", MALLORY, "Host: nowhere")).isEqualTo(403);
        assertThat(keys.checked).hasValue(0);
        assertThat(status("/a", ALICE)).isEqualTo(401);
        assertThat(status("/a", ALICE, RIGHT)).isEqualTo(200);
    }

    @Test
    void a35SearchesForPathsAreCounted() throws Exception {
        gateway.rules(GUESSING).start();
        for (int i = 0; i < 5; i++) {
            assertThat(status("/a" + i, MALLORY, "Host: nowhere")).isEqualTo(i < 3 ? 404 : 429);
        }
        assertThat(status("/a", ALICE, "Host: nowhere")).isEqualTo(404);
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(gateway.statuses())
                .containsExactlyInAnyOrder(404, 404, 404, 429, 429, 404));
    }

    @Test
    void answersOverHttp2AreCounted() throws Exception {
        gateway.rules(GUESSING).start();
        HttpClient client = gateway.vertx()
                .createHttpClient(new HttpClientOptions()
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setHttp2ClearTextUpgrade(false));
        for (int i = 0; i < 5; i++) {
            int status = client.request(HttpMethod.GET, gateway.port(), "127.0.0.1", "/a")
                    .compose(HttpClientRequest::send)
                    .map(HttpClientResponse::statusCode)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            assertThat(status).isEqualTo(i < 3 ? 401 : 429);
        }
    }

    @Test
    void answersOfUpstreamsAreCounted() throws Exception {
        AtomicInteger answer = new AtomicInteger(200);
        gateway.rules(GUESSING)
                .forwarding(exchange ->
                        exchange.response().setStatusCode(answer.get()).end("upstream"))
                .start();
        for (int i = 0; i < 5; i++) {
            assertThat(status("/a", MALLORY, RIGHT)).isEqualTo(200);
        }
        answer.set(404);
        for (int i = 0; i < 4; i++) {
            assertThat(status("/a", MALLORY, RIGHT)).isEqualTo(i < 3 ? 404 : 429);
        }
        assertThat(gateway.forwarded()).isEqualTo(8);
    }

    @Test
    void answersOfHandlersAndOfOtherRulesAreCounted() throws Exception {
        gateway.rules(GUESSING + "  - { id: mallory, match: { user: robot }, resource: /denied, action: deny }\n")
                .handlers(new Bouncer())
                .start();

        assertThat(status("/bounced", MALLORY)).isEqualTo(403);
        assertThat(status("/denied", MALLORY, RIGHT)).isEqualTo(403);
        assertThat(status("/denied", MALLORY, RIGHT)).isEqualTo(403);
        assertThat(status("/a", MALLORY, RIGHT)).isEqualTo(429);
    }

    @Test
    void refusalsByEarlyRulesAreNotCountedThemselves() throws Exception {
        ManualClock clock = QuietClock.at(1_000_000_000_000L);
        gateway.rules("""
                rules:
                  - { id: slow, for: early, limits: [{ by: ip, limit: 1, window: 1m }] }
                  - { id: penalty, for: early, match: { answer.status: 429 }, limits: [{ by: ip, limit: 1, window: 1d }] }
                  - { id: later, resource: /later, limits: [{ limit: 0, window: 1m }] }
                """).clock(clock).start();

        assertThat(status("/a", MALLORY, RIGHT)).isEqualTo(200);
        assertThat(gateway.get("/a", MALLORY, RIGHT).body()).contains("\"rule\":\"slow\"");
        clock.advance(Duration.ofMinutes(2));
        assertThat(gateway.get("/later", MALLORY, RIGHT).body()).contains("\"rule\":\"later\"");
        clock.advance(Duration.ofMinutes(2));
        assertThat(gateway.get("/a", MALLORY, RIGHT).body()).contains("\"rule\":\"penalty\"");
    }

    @Test
    void aCallerWhoLeavesBeforeTheAnswerHasStatus499() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        gateway.rules("""
                rules:
                  - { id: leaving, for: early, match: { answer.status: 499 }, limits: [{ by: ip, limit: 1, window: 1h }] }
                """).forwarding(exchange -> arrived.countDown()).start();
        try (RepliesClient client = gateway.connect()) {
            client.write("GET /a HTTP/1.1\r\nHost: h\r\n" + MALLORY + "\r\n" + RIGHT + "\r\n\r\n");
            arrived.await();
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> gateway.statuses().contains(499));

        assertThat(status("/a", MALLORY, RIGHT)).isEqualTo(429);
    }

    @Test
    void limitsOfRequestsActBeforeAuthenticationAndAreChargedOnce() throws Exception {
        gateway.rules("""
                rules:
                  - { id: flood, for: early, resource: /login, methods: [POST], match: { header.host: shop.example }, limits: [{ by: ip, limit: 2, window: 1h }] }
                """).start();
        for (int i = 0; i < 4; i++) {
            RepliesClient.Reply reply = gateway.request("POST", "/login", "", MALLORY, RIGHT);
            assertThat(reply.status()).isEqualTo(i < 2 ? 200 : 429);
            assertThat(reply.header("ratelimit")).startsWith("\"flood.0\";r=" + Math.max(0, 1 - i) + ";");
        }
        assertThat(keys.checked).hasValue(2);
        assertThat(status("/login", MALLORY, RIGHT)).isEqualTo(200);
        assertThat(gateway.request("POST", "/login", "", MALLORY, RIGHT, "Host: other")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void permitsOfEarlyRulesAreHeldUntilTheAnswer() throws Exception {
        CompletableFuture<GatewayExchange> held = new CompletableFuture<>();
        gateway.rules("""
                rules:
                  - { id: one, for: early, limits: [{ by: ip, algorithm: concurrency, limit: 1, ttl: 1h }] }
                """).forwarding(held::complete).start();
        try (RepliesClient first = gateway.connect()) {
            first.write("GET /a HTTP/1.1\r\nHost: h\r\n" + MALLORY + "\r\n" + RIGHT + "\r\n\r\n");
            GatewayExchange exchange = held.get(60, TimeUnit.SECONDS);
            assertThat(status("/a", MALLORY)).isEqualTo(429);
            assertThat(status("/a", ALICE)).isEqualTo(401);

            gateway.vertx().runOnContext(then -> exchange.response().end());

            assertThat(first.read().status()).isEqualTo(200);
            await().atMost(Duration.ofMinutes(1)).until(() -> status("/a", MALLORY) == 401);
            await().atMost(Duration.ofMinutes(1)).until(() -> status("/a", MALLORY, "Host: nowhere") == 404);
        }
    }

    @Test
    void answersAreCountedInTheStore() throws Exception {
        gateway.rules(GUESSING).store(new LocalEngine(Clock.system())).start();
        for (int i = 0; i < 5; i++) {
            assertThat(status("/a", MALLORY)).isEqualTo(i < 3 ? 401 : 429);
        }
    }

    @Test
    void noAnswerWaitsUntilItIsCounted() throws Exception {
        UnreliableEngine store = new UnreliableEngine(new LocalEngine(Clock.system()));
        gateway.rules(GUESSING.replace("limit: 3", "limit: 1"))
                .store(store)
                .forwarding(exchange -> {
                    store.setMood(UnreliableEngine.Mood.LATE_AND_TWICE);
                    exchange.response().setStatusCode(404).end();
                })
                .start();

        assertThat(status("/a", MALLORY, RIGHT)).isEqualTo(404);

        store.deliver();
        store.setMood(UnreliableEngine.Mood.ANSWERS);
        assertThat(status("/a", MALLORY, RIGHT)).isEqualTo(429);
    }

    @Test
    void anAnswerIsSentEvenIfItCannotBeCounted() throws Exception {
        UnreliableEngine store = new UnreliableEngine(new LocalEngine(Clock.system()));
        gateway.rules(GUESSING)
                .store(store)
                .forwarding(exchange -> {
                    store.setMood(UnreliableEngine.Mood.THROWS);
                    exchange.response().setStatusCode(404).end();
                })
                .start();

        assertThat(status("/a", MALLORY, RIGHT)).isEqualTo(404);
    }

    @Test
    void whileTheStoreIsAwayThePolicyOfTheRuleDecides() throws Exception {
        UnreliableEngine store = new UnreliableEngine(new LocalEngine(Clock.system()));
        gateway.rules(GUESSING + "    on_failure: closed\n").store(store).start();
        assertThat(status("/a", MALLORY)).isEqualTo(401);

        store.setMood(UnreliableEngine.Mood.FAILS);

        assertThat(status("/a", MALLORY)).isEqualTo(429);
        assertThat(keys.checked).hasValue(1);
    }

    @Test
    void rulesCanBecomeEarlyAndStopBeingEarly() throws Exception {
        gateway.rules(GUESSING).start();
        for (int i = 0; i < 4; i++) {
            assertThat(status("/a", MALLORY)).isEqualTo(i < 3 ? 401 : 429);
        }

        gateway.reload("rules: []");
        assertThat(status("/a", MALLORY)).isEqualTo(401);
        assertThat(status("/a", MALLORY, "Host: nowhere")).isEqualTo(404);

        gateway.reload(GUESSING);
        assertThat(status("/a", MALLORY)).isEqualTo(429);
    }

    private int status(String path, String... headers) throws Exception {
        return gateway.get(path, headers).status();
    }

    /** Accepts one API key, and counts how many keys it was shown. */
    private static final class OneKey implements Authenticators {

        final AtomicInteger checked = new AtomicInteger();

        @Override
        public CompletionStage<Authentication> authenticate(HttpServerRequest request) {
            checked.incrementAndGet();
            String key = request.getHeader("X-API-Key");
            return CompletableFuture.completedFuture(
                    "right".equals(key)
                            ? new Authentication.Verified(new Identity(Map.of("user", "robot")))
                            : new Authentication.Refused(401, "api key: unknown", Optional.empty()));
        }

        @Override
        public Optional<String> challenge() {
            return Optional.empty();
        }

        @Override
        public Set<String> withheld() {
            return Set.of();
        }

        @Override
        public List<String> findings() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    /** Answers 403 before authentication. */
    private static final class Bouncer implements GatewayHandler {

        @Override
        public Phase phase() {
            return Phase.PARSED;
        }

        @Override
        public CompletionStage<Verdict> handle(GatewayCall call) {
            return CompletableFuture.completedFuture(
                    call.path().equals("/bounced") ? new Verdict.Answer(403, Map.of(), "out") : Verdict.GO_ON);
        }
    }
}
