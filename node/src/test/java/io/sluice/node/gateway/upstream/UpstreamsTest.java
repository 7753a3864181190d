package io.sluice.node.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.TestUpstream;
import io.sluice.node.gateway.config.ServiceSettings;
import io.sluice.node.gateway.config.ServiceSettings.Balance;
import io.sluice.node.gateway.config.ServiceSettings.HealthSettings;
import io.sluice.node.gateway.config.ServiceSettings.PassiveSettings;
import io.sluice.node.gateway.config.UpstreamTls;
import io.sluice.node.gateway.route.UpstreamGroup.Turn;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class UpstreamsTest {

    private static final HealthSettings OFTEN =
            new HealthSettings("/health", Duration.ofMillis(20), Duration.ofMinutes(1), 3, 2);

    private static Vertx vertx;

    private Upstreams upstreams;
    private TestUpstream one;
    private TestUpstream two;

    @BeforeAll
    static void openVertx() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void closeVertx() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @BeforeEach
    void open() throws IOException {
        upstreams = new Upstreams(vertx, Clock.system());
        one = new TestUpstream("one");
        two = new TestUpstream("two");
    }

    @AfterEach
    void close() {
        upstreams.close();
        one.close();
        two.close();
    }

    @Test
    void aServerThatDiesIsLeftOutAndUsedAgainWhenItReturns() throws Exception {
        ServiceUpstreams group = take(service(OFTEN, one.origin(), two.origin()));
        await().until(() -> one.asked.size() > 2 && two.asked.size() > 2);
        assertThat(one.asked).containsOnly("GET /health");

        two.die();
        await().until(() -> !fit(1));
        for (int i = 0; i < 10; i++) {
            assertThat(group.next(Set.of()).map(Turn::origin)).contains(one.origin());
        }
        assertThat(upstreams.health())
                .containsExactly(
                        new UpstreamHealth("s", one.origin().toString(), true),
                        new UpstreamHealth("s", two.origin().toString(), false));

        two.comeBack();
        await().until(() -> fit(1));

        one.status = 503;
        two.status = 404;
        await().until(() -> !fit(0) && !fit(1));
        assertThat(group.next(Set.of())).isEmpty();
        one.status = 302;
        await().until(() -> fit(0));
    }

    @Test
    void aServerThatAcceptsConnectionsButNeverAnswersIsUnhealthy() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            HealthSettings impatient =
                    new HealthSettings("/health", Duration.ofMillis(20), Duration.ofMillis(50), 3, 2);
            take(service(impatient, URI.create("http://127.0.0.1:" + silent.getLocalPort())));

            await().until(() -> !fit(0));
        }
    }

    @Test
    void aServerMayHaveAnIpv6Address() throws Exception {
        CountDownLatch asked = new CountDownLatch(2);
        HttpServer server = vertx.createHttpServer()
                .requestHandler(request -> {
                    asked.countDown();
                    request.response().end();
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        take(service(OFTEN, URI.create("http://[::ffff:7f00:1]:" + server.actualPort())));

        assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(fit(0)).isTrue();
    }

    @Test
    void theFirstBadAnswerCountsAtOnceAndLaterOnesInARow() {
        HealthSettings seldom = new HealthSettings("/", Duration.ofHours(1), Duration.ofMinutes(1), 3, 2);
        one.status = 500;

        take(service(seldom, one.origin()));

        await().until(() -> !fit(0));
        assertThat(one.asked).hasSize(1);
    }

    @Test
    void theKnownStateOfAServerSurvivesOtherChanges() {
        ServiceSettings before = service(null, one.origin(), two.origin());
        ServiceUpstreams group = take(before);
        for (int i = 0; i < 3; i++) {
            Turn turn = group.next(Set.of(two.origin())).orElseThrow();
            turn.failed(new IOException("gone"));
            turn.over();
        }
        Turn open = group.next(Set.of(one.origin())).orElseThrow();
        URI third = URI.create("http://127.0.0.1:1");

        ServiceUpstreams after = take(new ServiceSettings(
                "s",
                List.of(third, two.origin(), one.origin()),
                Balance.LEAST_CONNECTIONS,
                true,
                Optional.empty(),
                before.passive(),
                UpstreamTls.SYSTEM));

        assertThat(after.servers()).extracting(UpstreamServer::isOut).containsExactly(false, false, true);
        assertThat(after.servers()).extracting(UpstreamServer::open).containsExactly(0, 1, 0);
        open.answered(200);
        open.over();
        assertThat(after.servers()).extracting(UpstreamServer::open).containsExactly(0, 0, 0);

        take(service(null, two.origin()));
        assertThat(take(before).servers())
                .as("a server that was removed starts anew")
                .extracting(UpstreamServer::isOut)
                .containsExactly(false, false);
    }

    @Test
    void anUnchangedServiceStaysTheSameObject() {
        ServiceSettings service = service(OFTEN, one.origin());

        assertThat(take(service)).isSameAs(take(service(OFTEN, one.origin())));
    }

    @Test
    void theTlsOptionsOfAServiceStayTheSameObjectWhateverElseChanges() {
        UpstreamTls blind = new UpstreamTls(Optional.empty(), false, Optional.empty());
        ServiceUpstreams before = take(tls(blind, Balance.ROUND_ROBIN));
        ServiceUpstreams after = take(tls(blind, Balance.LEAST_CONNECTIONS));
        ServiceUpstreams other =
                take(tls(new UpstreamTls(Optional.of("pem"), true, Optional.empty()), Balance.LEAST_CONNECTIONS));

        assertThat(before.tls().orElseThrow()).isSameAs(after.tls().orElseThrow());
        assertThat(before.tls().orElseThrow().isTrustAll()).isTrue();
        assertThat(other.tls().orElseThrow().isTrustAll()).isFalse();
        assertThat(other.tls().orElseThrow().getHostnameVerificationAlgorithm()).isEqualTo("HTTPS");
    }

    @Test
    void aRemovedServerIsNoLongerChecked() {
        take(service(OFTEN, one.origin(), two.origin()));
        await().until(() -> !one.asked.isEmpty() && !two.asked.isEmpty());

        take(service(OFTEN, one.origin()));
        stopsAsking(two);

        upstreams.close();
        stopsAsking(one);
    }

    @Test
    void aServerThatIsNoLongerCheckedIsHealthy() {
        one.status = 500;
        take(service(OFTEN, one.origin()));
        await().until(() -> !fit(0));

        take(service(null, one.origin()));

        assertThat(fit(0)).isTrue();
        stopsAsking(one);
    }

    @Test
    void anUnchangedCheckContinuesAndAChangedOneStartsAnew() {
        HealthSettings seldom = new HealthSettings("/a", Duration.ofHours(1), Duration.ofMinutes(1), 3, 2);
        HealthSettings other = new HealthSettings("/b", Duration.ofHours(1), Duration.ofMinutes(1), 3, 2);
        take(service(seldom, one.origin()));
        await().until(() -> one.asked.size() == 1);

        take(service(seldom, one.origin(), two.origin()));
        await().until(() -> two.asked.size() == 1);
        assertThat(one.asked).containsExactly("GET /a");

        take(service(other, one.origin(), two.origin()));
        await().until(() -> one.asked.size() == 2 && two.asked.size() == 2);
        assertThat(one.asked).containsExactly("GET /a", "GET /b");
    }

    /** Compares with another server that is checked as often. */
    private void stopsAsking(TestUpstream gone) {
        await().until(() -> {
            int before = gone.asked.size();
            awaitAFewChecks();
            return gone.asked.size() == before;
        });
    }

    private static void awaitAFewChecks() throws Exception {
        try (TestUpstream measure = new TestUpstream("measure");
                Upstreams own = new Upstreams(vertx, Clock.system())) {
            own.take(List.of(service(OFTEN, measure.origin())));
            await().until(() -> measure.asked.size() > 5);
        }
    }

    private boolean fit(int server) {
        return upstreams.health().get(server).healthy();
    }

    private ServiceUpstreams take(ServiceSettings service) {
        return upstreams.take(List.of(service)).get(service);
    }

    private static ServiceSettings service(@org.jspecify.annotations.Nullable HealthSettings health, URI... origins) {
        return new ServiceSettings(
                "s",
                List.of(origins),
                Balance.ROUND_ROBIN,
                false,
                Optional.ofNullable(health),
                new PassiveSettings(3, Duration.ofHours(1)),
                UpstreamTls.SYSTEM);
    }

    private static ServiceSettings tls(UpstreamTls tls, Balance balance) {
        return new ServiceSettings(
                "s",
                List.of(URI.create("https://a:443")),
                balance,
                false,
                Optional.empty(),
                new PassiveSettings(3, Duration.ofHours(1)),
                tls);
    }
}
