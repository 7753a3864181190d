package io.sluice.node.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.core.Limiter;
import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.node.transport.EventLoops;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** A gateway whose limits are settled by the answers of a real upstream. Each request reserves 500 tokens. */
@Timeout(300)
class AnswerSettlementTest {

    private static final String RULES = """
            rules:
              - id: llm
                resource: /v1/**
                limits:
                  - { id: requests, rate: 100/s }
                  - id: tokens
                    algorithm: fixed_window
                    limit: 100000
                    window: 1d
                    cost: { reserve: json.max_tokens, default: 2000, settle: answer.json.usage.total_tokens }
              - id: images
                resource: /v1/images
                limits:
                  - id: steps
                    algorithm: fixed_window
                    limit: 100000
                    window: 1d
                    cost: { reserve: 30, settle: answer.json.usage.steps }
            """;

    private static final String ASKED = "{\"model\":\"m\",\"max_tokens\":500}";
    private static final String EVENTS =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String JSON = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    private static final String HELLO = "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}],\"usage\":null}\n\n";
    private static final String LAST = "data: {\"choices\":[],\"usage\":{\"total_tokens\":120}}\n\n";
    private static final String DONE = "data: [DONE]\n\n";
    private static final long INTERNAL_ERROR = 0x2;
    private static final long REFUSED_STREAM = 0x7;

    private final ManualClock clock = QuietClock.at(0);
    private final LocalEngine counts = new LocalEngine(clock);
    private final EventLoops loops = new EventLoops();
    private final List<String> outcomes = new CopyOnWriteArrayList<>();
    private final Evaluator evaluator = evaluator();
    private volatile boolean settles = true;
    private OpenGateway gateway;

    /** An engine that settles only as long as the test wants it. */
    private final class Settling extends ForwardingEngine {

        Settling(Engine engine) {
            super(engine);
        }

        @Override
        public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
            return settles
                    ? super.settle(settlements)
                    : CompletableFuture.failedFuture(new UnsupportedOperationException("does not settle"));
        }
    }

    private Evaluator evaluator() {
        RuleSet rules = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", RULES)).rules());
        return new Evaluator(
                () -> rules,
                new Limiter(new Settling(counts), clock, List.of()),
                null,
                new KeySettings(KeySecret.random(), KeySettings.DEFAULT_IPV6_PREFIX, Optional.empty()),
                clock,
                new RulingListener() {
                    @Override
                    public void ruled(Ruling.Settled ruling, long elapsedNanos) {}

                    @Override
                    public void settled(SettledLimit settled) {
                        outcomes.add(settled.limit().reserved() + " -> " + settled.actual());
                    }

                    @Override
                    public void unsettled(Reservation reservation, String reason) {
                        reservation.limits().forEach(limit -> outcomes.add(limit.reserved() + " stands: " + reason));
                    }
                });
    }

    @AfterEach
    void close() throws Exception {
        if (gateway != null) {
            gateway.close();
        }
        loops.close();
        counts.close();
    }

    @Test
    void aJsonAnswerInPiecesSettlesItsFigure() throws Exception {
        try (RawUpstream upstream = answering(EVENTS.replace("text/event-stream", "application/json")
                        + chunk("{\"usage\":{\"tot")
                        + chunk("al_tokens\":12")
                        + chunk("0}}")
                        + chunk(""));
                RawClient client = open(upstream.origin())) {
            String answer = client.send(request()).message();

            assertThat(answer)
                    .contains("\"llm.tokens\";r=99500", "\"llm.requests\";r=99")
                    .endsWith("0\r\n\r\n");
            awaitOutcome("500 -> 120");
            assertThat(used()).isEqualTo(120);
        }
    }

    @Test
    void anAnswerOfKnownLengthSettlesItsFigure() throws Exception {
        String body = "{\"usage\":{\"total_tokens\":700}}";
        try (RawUpstream upstream = answering(JSON + "Content-Length: " + body.length() + "\r\n\r\n" + body);
                RawClient client = open(upstream.origin())) {
            assertThat(client.send(request()).message()).endsWith(body);
            awaitOutcome("500 -> 700");
            assertThat(client.send(request()).message()).endsWith(body);
            await().atMost(Duration.ofMinutes(1)).until(() -> outcomes.size() == 2);
            assertThat(used()).isEqualTo(1400);
        }
    }

    @Test
    void anEventReachesTheCallerBeforeTheNextOneIsSent() throws Exception {
        CountDownLatch firstRead = new CountDownLatch(1);
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.message();
                    caller.send(EVENTS + chunk(HELLO));
                    firstRead.await();
                    caller.send(chunk(LAST.substring(0, 40)) + chunk(LAST.substring(40) + DONE) + chunk(""));
                    caller.isClosed();
                });
                RawClient client = open(upstream.origin())) {
            assertThat(client.send(request()).head()).contains("text/event-stream");
            assertThat(client.read(chunk(HELLO).length())).isEqualToIgnoringCase(chunk(HELLO));
            assertThat(outcomes).isEmpty();
            firstRead.countDown();
            String rest = "";
            while (!rest.endsWith("0\r\n\r\n")) {
                rest += client.read(1);
            }
            assertThat(rest).contains("ns\":120}}", "[DONE]");
            awaitOutcome("500 -> 120");
            assertThat(used()).isEqualTo(120);
        }
    }

    @Test
    void aCallerWhoLeavesSettlesTheLastFigureThatHasCome() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.message();
                    caller.send(EVENTS + chunk(LAST) + chunk(LAST.substring(0, 30)));
                    caller.isClosed();
                });
                RawClient client = open(upstream.origin())) {
            client.send(request()).head();
            client.read(chunk(LAST).length());
            client.close();
            awaitOutcome("500 -> 120");
            assertThat(used()).isEqualTo(120);
        }
    }

    @Test
    void aCallerWhoLeavesBeforeAFigureLeavesTheReservation() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.message();
                    caller.send(EVENTS + chunk(HELLO));
                    caller.isClosed();
                });
                RawClient client = open(upstream.origin())) {
            client.send(request()).head();
            client.read(chunk(HELLO).length());
            client.close();
            awaitOutcome("500 stands: aborted");
            assertThat(used()).isEqualTo(500);
        }
    }

    @Test
    void anUpstreamThatDiesLeavesTheReservationOrTheLastFigure() throws Exception {
        try (RawUpstream upstream = answeringOnce(EVENTS + chunk(HELLO));
                RawClient client = open(upstream.origin())) {
            client.send(request()).rest();
            awaitOutcome("500 stands: aborted");
        }
        gateway.close();
        outcomes.clear();
        try (RawUpstream upstream = answeringOnce(EVENTS + chunk(LAST) + chunk(HELLO));
                RawClient client = open(upstream.origin())) {
            client.send(request()).rest();
            awaitOutcome("500 -> 120");
        }
        gateway.close();
        outcomes.clear();
        try (RawUpstream upstream = answeringOnce("");
                RawClient client = open(upstream.origin())) {
            assertThat(client.send(request()).message()).startsWith("HTTP/1.1 502");
            awaitOutcome("500 stands: aborted");
        }
    }

    @Test
    void aCompressedAnswerIsReadAndPassedOnAsItIs() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(packed)) {
            out.write((HELLO + LAST).getBytes(UTF_8));
        }
        String body = packed.toString(ISO_8859_1);
        String head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nContent-Length: ";
        try (RawUpstream upstream = answering(head + body.length() + "\r\n\r\n" + body);
                RawClient client = open(upstream.origin())) {
            assertThat(client.send(request("Accept-Encoding: br, GZIP;q=0.5", "Range: bytes=0-1"))
                            .message())
                    .endsWith(body);
            awaitOutcome("500 -> 120");
            assertThat(upstream.last().toLowerCase(Locale.ROOT))
                    .contains("accept-encoding: gzip\r\n")
                    .doesNotContain("range:");
            client.send(request("Accept-Encoding: br, gzip;q=0")).message();
            assertThat(upstream.last()).contains("accept-encoding: identity\r\n");
            client.send(request()).message();
            assertThat(upstream.last()).doesNotContain("accept-encoding");
        }
    }

    @Test
    void aWholeAnswerWithoutAFigureLeavesTheReservation() throws Exception {
        for (String status : List.of("200 OK", "500 Broken")) {
            try (RawUpstream upstream = answering("HTTP/1.1 " + status + "\r\nContent-Length: 2\r\n\r\n{}");
                    RawClient client = open(upstream.origin())) {
                client.send(request()).message();
                awaitOutcome("500 stands: no-figure");
                gateway.close();
                outcomes.clear();
            }
        }
        assertThat(used()).isEqualTo(1000);
    }

    @Test
    void aSettlementThatFailsIsLoggedAndTheReservationStands() throws Exception {
        settles = false;
        String body = "{\"usage\":{\"total_tokens\":120}}";
        Logger logger = (Logger) LoggerFactory.getLogger("io.sluice.node.gateway.chain.FailureLog");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        logger.addAppender(log);
        try (RawUpstream upstream = answering(JSON + "Content-Length: " + body.length() + "\r\n\r\n" + body);
                RawClient client = open(upstream.origin())) {
            assertThat(client.send(request("X-Request-Id: r-17")).message()).endsWith(body);
            awaitOutcome("500 stands: failed");
            await().atMost(Duration.ofMinutes(1)).until(() -> !log.list.isEmpty());
            assertThat(log.list.get(0).getFormattedMessage())
                    .startsWith("settling a reservation (it stands) failed, request r-17");
            assertThat(log.list.get(0).getThrowableProxy().getMessage()).endsWith("does not settle");
            assertThat(used()).isEqualTo(500);
        } finally {
            logger.detachAppender(log);
        }
    }

    @Test
    void oneLimitIsSettledAndAnotherStandsIfTheAnswerHasOneFigure() throws Exception {
        String body = "{\"usage\":{\"total_tokens\":120}}";
        try (RawUpstream upstream = answering(JSON + "Content-Length: " + body.length() + "\r\n\r\n" + body);
                RawClient client = open(upstream.origin())) {
            assertThat(client.send(request().replace("/v1/chat/completions", "/v1/images"))
                            .message())
                    .endsWith(body);
            await().atMost(Duration.ofMinutes(1)).until(() -> outcomes.size() >= 2);
            assertThat(outcomes).containsExactlyInAnyOrder("500 -> 120", "30 stands: no-figure");
        }
    }

    @Test
    void aRequestThatNoUpstreamHasSeenCostsNothing() throws Exception {
        try (RawClient client = open(nobody())) {
            assertThat(client.send(request()).message()).startsWith("HTTP/1.1 502");
            awaitOutcome("500 -> 0");
            assertThat(used()).isZero();
        }
    }

    @Test
    void aRequestThatGoesToAnotherUpstreamIsReservedAndSettledOnce() throws Exception {
        String body = "{\"usage\":{\"total_tokens\":120}}";
        URI dead = nobody();
        try (RawUpstream upstream = answering(JSON + "Content-Length: " + body.length() + "\r\n\r\n" + body);
                RawClient client = open(dead, upstream.origin())) {
            assertThat(client.send(request()).message()).endsWith(body);
            assertThat(client.send(request()).message()).endsWith(body);
            await().atMost(Duration.ofMinutes(1)).until(() -> outcomes.size() == 2);
            assertThat(outcomes).containsOnly("500 -> 120");
            assertThat(used()).isEqualTo(240);
        }
    }

    @Test
    void anAnswerOverHttp2SettlesItsFigure() throws Exception {
        Buffer body = Buffer.buffer("{\"usage\":{\"total_tokens\":120}}");
        try (RawClient client = openHttp2(request -> request.response().end(body))) {
            assertThat(client.send(request()).message()).endsWith(body.toString());
            awaitOutcome("500 -> 120");
        }
    }

    @Test
    void aStreamThatWasRefusedUnseenCostsNothing() throws Exception {
        try (RawClient client = openHttp2(request -> request.response().reset(REFUSED_STREAM))) {
            assertThat(client.send(request()).message()).startsWith("HTTP/1.1 502");
            awaitOutcome("500 -> 0");
        }
    }

    @Test
    void aStreamThatBreaksCostsWhatWasReserved() throws Exception {
        try (RawClient client = openHttp2(request -> request.response().reset(INTERNAL_ERROR))) {
            assertThat(client.send(request()).message()).startsWith("HTTP/1.1 502");
            awaitOutcome("500 stands: aborted");
        }
    }

    @Test
    void usageBeyondTheLimitIsADebt() throws Exception {
        String body = "{\"usage\":{\"total_tokens\":150000}}";
        try (RawUpstream upstream = answering(JSON + "Content-Length: " + body.length() + "\r\n\r\n" + body);
                RawClient client = open(upstream.origin())) {
            client.send(request()).message();
            awaitOutcome("500 -> 150000");
            assertThat(client.send(request()).message())
                    .startsWith("HTTP/1.1 429")
                    .contains("\"llm.tokens\";r=0");
            clock.advance(Duration.ofDays(1));
            assertThat(client.send(request()).message()).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void aReservationThatTheLimitCanNeverHoldIsRefused() throws Exception {
        try (RawUpstream upstream = answering(JSON + "Content-Length: 2\r\n\r\n{}");
                RawClient client = open(upstream.origin())) {
            String answer = client.send(post("{\"max_tokens\":100001}")).message();
            assertThat(answer)
                    .startsWith("HTTP/1.1 429")
                    .doesNotContain("Retry-After")
                    .contains("limit llm.tokens");
            assertThat(used()).isZero();
        }
    }

    private static RawUpstream answering(String answer) throws IOException {
        return RawUpstream.answering(answer);
    }

    private static RawUpstream answeringOnce(String answer) throws IOException {
        return new RawUpstream(caller -> {
            caller.message();
            caller.send(answer);
        });
    }

    /** Returns an address on which nobody listens. */
    private static URI nobody() throws IOException {
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + closed.getLocalPort());
        }
    }

    private RawClient openHttp2(Handler<HttpServerRequest> upstream) throws Exception {
        int port = loops.vertx()
                .createHttpServer()
                .requestHandler(upstream)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS)
                .actualPort();
        return open("services:\n  m: { upstreams: [\"http://127.0.0.1:" + port + "\"], http2: true }\n"
                + "routes:\n  - { path: /**, service: m }\n");
    }

    private RawClient open(URI... upstreams) throws Exception {
        List<String> quoted =
                Stream.of(upstreams).map(origin -> "\"" + origin + "\"").toList();
        return open("routes:\n  - { path: /**, upstreams: " + quoted + " }\n");
    }

    private RawClient open(String config) throws Exception {
        gateway = OpenGateway.open(
                "127.0.0.1",
                0,
                Configs.good(config),
                new OpenGateway.Resources(loops, evaluator, false, (route, status, nanos) -> {}, Clock.system()));
        return new RawClient(new Socket(InetAddress.getLoopbackAddress(), gateway.port()));
    }

    private static String request(String... headers) {
        return post(ASKED, headers);
    }

    private static String post(String body, String... headers) {
        return "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length() + "\r\n"
                + Stream.of(headers).map(header -> header + "\r\n").collect(joining()) + "\r\n" + body;
    }

    private static String chunk(String data) {
        return Integer.toHexString(data.length()) + "\r\n" + data + "\r\n";
    }

    private void awaitOutcome(String outcome) {
        await().atMost(Duration.ofMinutes(1)).until(() -> !outcomes.isEmpty());
        assertThat(outcomes).containsExactly(outcome);
    }

    /** Returns the tokens that the limit has charged. */
    private long used() {
        return evaluator
                .explain(Attributes.of(Map.of("path", "/v1/chat/completions", "method", "POST")), 0)
                .toCompletableFuture()
                .join()
                .limits()
                .stream()
                .filter(limit -> limit.id().equals("llm.tokens"))
                .findFirst()
                .orElseThrow()
                .used();
    }
}
