package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.node.gateway.upstream.UpstreamHealth;
import io.sluice.node.transport.EventLoops;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.snapshot.RuleSet;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real gateway between real clients and real servers, while its configuration changes and servers die. */
@Timeout(300)
class ReloadUnderLoadTest {

    private static final int CLIENTS = 8;

    private final EventLoops loops = new EventLoops();
    private final Limiter limiter = new Limiter(new LocalEngine(Clock.system()), Clock.system(), List.of());
    private final Map<String, AtomicInteger> answers = new ConcurrentHashMap<>();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Thread> clients = new ArrayList<>();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private TestUpstream one;
    private TestUpstream two;
    private OpenGateway gateway;

    @BeforeEach
    void open() throws Exception {
        one = new TestUpstream("one");
        two = new TestUpstream("two");
        Evaluator evaluator = new Evaluator(
                RuleSet::none,
                limiter,
                null,
                new KeySettings(KeySecret.random(), 64, Optional.empty()),
                Clock.system(),
                (ruling, nanos) -> {});
        gateway = OpenGateway.open(
                "127.0.0.1",
                0,
                both("round_robin"),
                new OpenGateway.Resources(loops, evaluator, false, (route, status, nanos) -> {}, Clock.system()));
    }

    @AfterEach
    void close() throws Exception {
        stop.set(true);
        for (Thread client : clients) {
            client.join();
        }
        gateway.close();
        loops.close();
        limiter.close();
        one.close();
        two.close();
    }

    @Test
    void noRequestFailsWhileRoutesChangeFiftyTimes() throws Exception {
        load();
        for (int i = 0; i < 50; i++) {
            int before = total();
            gateway.take(
                    switch (i % 5) {
                        case 0 -> only(one);
                        case 1 -> both("least_connections");
                        case 2 -> only(two);
                        case 3 -> both("round_robin");
                        default ->
                            Configs.good("routes: [{ host: 127.0.0.1, path: '/x/{n}', upstreams: '" + one.origin()
                                    + "' }, { upstreams: '" + two.origin() + "', timeout: 7s }]");
                    });
            await().until(() -> total() >= before + 2 * CLIENTS);
        }
        end();

        assertThat(answers.keySet()).containsExactlyInAnyOrder("200 one", "200 two");
    }

    @Test
    void newRequestsUseTheNewRoutes() throws Exception {
        for (int i = 0; i < 20; i++) {
            gateway.take(only(i % 2 == 0 ? one : two));

            assertThat(ask()).isEqualTo(i % 2 == 0 ? "200 one" : "200 two");
        }
        gateway.take(Configs.good("routes: []"));
        assertThat(ask()).startsWith("404 ");
    }

    @Test
    void noCallerNoticesThatAServerDiesAndReturns() throws Exception {
        gateway.take(both("round_robin"));
        ask();
        ask();
        two.die();
        for (int i = 0; i < 50; i++) {
            assertThat(ask()).isEqualTo("200 one");
        }
        assertThat(gateway.upstreams()).extracting(UpstreamHealth::healthy).containsExactly(true, false);

        two.comeBack();
        await().until(() -> ask().equals("200 two"));
        assertThat(gateway.upstreams()).extracting(UpstreamHealth::healthy).containsExactly(true, true);
    }

    @Test
    void aRequestInFlightFinishesWhereItStarted() throws Exception {
        gateway.take(only(one));
        one.hold();
        CompletableFuture<HttpResponse<String>> slow = http.sendAsync(request(), HttpResponse.BodyHandlers.ofString());
        await().until(() -> one.asked.contains("GET /x/7"));

        gateway.take(only(two));
        assertThat(ask()).isEqualTo("200 two");
        one.letGo();

        assertThat(slow.get(60, TimeUnit.SECONDS).body()).isEqualTo("one");
    }

    private GatewayConfig both(String balance) {
        return Configs.good("services: { s: { upstreams: ['" + one.origin() + "', '" + two.origin() + "'], balance: "
                + balance + ", passive: { failures: 2, for: 100ms } } }\nroutes: [{ service: s }]");
    }

    private GatewayConfig only(TestUpstream upstream) {
        return Configs.good(
                "services: { s: { upstreams: '" + upstream.origin() + "' } }\nroutes: [{ path: /x/**, service: s }]");
    }

    private void load() {
        for (int i = 0; i < CLIENTS; i++) {
            Thread client = new Thread(() -> {
                while (!stop.get()) {
                    String answer;
                    try {
                        answer = ask();
                    } catch (Exception e) {
                        answer = e.toString();
                    }
                    answers.computeIfAbsent(answer, key -> new AtomicInteger()).incrementAndGet();
                }
            });
            client.start();
            clients.add(client);
        }
    }

    private void end() throws InterruptedException {
        stop.set(true);
        for (Thread client : clients) {
            client.join();
        }
    }

    private int total() {
        return answers.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    private String ask() throws Exception {
        HttpResponse<String> answer = http.send(request(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    private HttpRequest request() {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/x/7"))
                .timeout(Duration.ofSeconds(60))
                .build();
    }
}
