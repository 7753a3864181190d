package io.sluice.center.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Alerts to a real HTTP server that has good and bad days. */
class WebhookTest {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Duration SOON = Duration.ofMinutes(5);
    private static final Set<AlertSeverity> ALL = Set.of(AlertSeverity.values());

    @TempDir
    Path folder;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final List<String> bodies = Collections.synchronizedList(new ArrayList<>());
    private final List<String> signatures = Collections.synchronizedList(new ArrayList<>());
    private final List<String> deliveries = Collections.synchronizedList(new ArrayList<>());
    private final Deque<Integer> statuses = new ArrayDeque<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private HttpServer server;
    private volatile boolean isSlow;

    /** A subject that makes the server refuse each request with it. */
    private volatile String refused = "nothing";

    private final List<String> accepted = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        }));
        server.start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        bodies.add(body);
        signatures.add(String.valueOf(exchange.getRequestHeaders().getFirst(Webhook.SIGNATURE)));
        deliveries.add(String.valueOf(exchange.getRequestHeaders().getFirst(Webhook.DELIVERY)));
        int status;
        synchronized (statuses) {
            status = statuses.isEmpty() ? 200 : statuses.removeFirst();
        }
        List<String> subjects = JSON.readTree(body).findValuesAsString("subject");
        if (subjects.contains(refused)) {
            status = 422;
        } else {
            accepted.addAll(subjects);
        }
        if (isSlow) {
            // The head comes at once, the body never ends.
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write('.');
            exchange.getResponseBody().flush();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        } else {
            if (status == 302) {
                exchange.getResponseHeaders().set("Location", "/elsewhere");
            }
            exchange.sendResponseHeaders(status, -1);
        }
        exchange.close();
    }

    private void next(Integer... codes) {
        synchronized (statuses) {
            statuses.addAll(List.of(codes));
        }
    }

    @Test
    void postsSignedJson() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "s3cret\n");
        webhook(Optional.of(secret)).send("d1", List.of(message("one", AlertSeverity.INFO)));
        JsonNode body = JsonMapper.shared().readTree(bodies.get(0));
        assertThat(body.get("sent_at").asString()).isEqualTo("2027-01-15T08:00:00Z");
        assertThat(body.at("/alerts/0/id").asInt()).isEqualTo(1);
        assertThat(body.at("/alerts/0/event").asString()).isEqualTo("firing");
        assertThat(signatures)
                .containsExactly(
                        "sha256=" + Webhook.hmac("s3cret", bodies.get(0).getBytes(StandardCharsets.UTF_8)));
        assertThat(deliveries).containsExactly("d1");
        // The known value of a message and a key.
        assertThat(Webhook.hmac("key", "The quick brown fox jumps over the lazy dog".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
    }

    @Test
    void withoutASecretNothingIsSigned() throws Exception {
        webhook(Optional.empty()).send("d1", List.of(message("one", AlertSeverity.INFO)));
        assertThat(signatures).containsExactly("null");
    }

    @Test
    void redirectsAreNeverFollowed() throws Exception {
        next(302);
        assertThatThrownBy(() -> webhook(Optional.empty()).send("d1", List.of(message("one", AlertSeverity.INFO))))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(UndeliverableException.class)
                .hasMessage("it answered with status 302");
        assertThat(bodies).hasSize(1);
    }

    @Test
    void aMessageThatTheServerCallsWrongIsNotSentAgain() throws Exception {
        for (int status : List.of(400, 413, 415, 422)) {
            next(status);
            assertThatThrownBy(() -> webhook(Optional.empty()).send("d1", List.of(message("one", AlertSeverity.INFO))))
                    .isInstanceOf(UndeliverableException.class);
        }
    }

    @Test
    void anAnswerIsNotReadBeyondItsStatus() throws Exception {
        isSlow = true;
        webhook(Optional.empty()).send("d1", List.of(message("one", AlertSeverity.INFO)));
        assertThat(deliveries).containsExactly("d1");
    }

    @Test
    void aServerThatDoesNotAnswerIsGivenUpAtTheDeadline() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Webhook webhook = new Webhook(
                    settings(Optional.empty(), URI.create("http://127.0.0.1:" + silent.getLocalPort())), clock);
            FutureTask<Throwable> sent = new FutureTask<>(
                    () -> catchThrowable(() -> webhook.send("d1", List.of(message("one", AlertSeverity.INFO)))));
            Thread thread = new Thread(sent);
            thread.setDaemon(true);
            thread.start();
            try (Socket taken = silent.accept()) {
                clock.advance(Duration.ofSeconds(10));
                assertThat(sent.get(2, TimeUnit.MINUTES))
                        .isInstanceOf(IOException.class)
                        .hasMessage("no complete answer (expected: within 10 s)");
                // The connection ends.
                int unused = taken.getInputStream().readAllBytes().length;
            }
        }
    }

    @Test
    void errorsDoNotTellTheAddress() throws Exception {
        int closed;
        try (ServerSocket free = new ServerSocket(0)) {
            closed = free.getLocalPort();
        }
        URI secret = URI.create("http://127.0.0.1:" + closed + "/T0KEN?key=s3cret");
        Throwable failure = catchThrowable(() -> new Webhook(settings(Optional.empty(), secret), clock)
                .send("d1", List.of(message("one", AlertSeverity.INFO))));
        assertThat(failure).isInstanceOf(IOException.class).hasMessage("no connection");
        try (Destinations destinations = Destinations.open(
                new AlertSettings(List.of(settings(Optional.empty(), secret)), Optional.empty()), clock)) {
            assertThat(destinations.states().toString()).contains("127.0.0.1").doesNotContain("T0KEN", "s3cret");
        }
    }

    @Test
    void aSecretThatCannotBeReadIsAnErrorAtTheStart() {
        assertThatThrownBy(() -> webhook(Optional.of(folder.resolve("missing"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("secret_file")
                .hasMessageContaining("is not a readable file");
    }

    @Test
    void whatFailsComesAgainWithTheSameIdAndOnlyOnce() throws Exception {
        next(500, 503, 200);
        try (DestinationQueue queue = queue(ALL)) {
            queue.offer(List.of(message("one", AlertSeverity.INFO)));
            await("the first failure", queue, () -> queue.problem().isPresent());
            assertThat(queue.problem().orElseThrow()).contains("it answered with status 500", "1 wait");
            clock.advance(Duration.ofSeconds(1));
            await("the second failure", queue, () -> state(queue).contains("503"));
            // It waits twice as long now.
            clock.advance(Duration.ofSeconds(1));
            queue.turn();
            assertThat(bodies).hasSize(2);
            clock.advance(Duration.ofSeconds(1));
            await("success", queue, () -> queue.state().lastSuccess() != null);
            assertThat(queue.problem()).isEmpty();
            assertThat(queue.state().waiting()).isZero();
            assertThat(queue.state().dropped()).isZero();
            assertThat(bodies).hasSize(3);
            assertThat(Set.copyOf(deliveries)).hasSize(1);
        }
    }

    @Test
    void onlyTheSeveritiesThatItIsForAreSent() throws Exception {
        try (DestinationQueue queue = queue(Set.of(AlertSeverity.CRITICAL))) {
            queue.offer(List.of(message("calm", AlertSeverity.INFO), message("loud", AlertSeverity.CRITICAL)));
            await("success", queue, () -> queue.state().lastSuccess() != null);
            assertThat(bodies).hasSize(1);
            assertThat(bodies.get(0)).contains("loud").doesNotContain("calm");
        }
    }

    @Test
    void whatWaitsTogetherIsSentTogether() throws Exception {
        next(500);
        try (DestinationQueue queue = queue(ALL)) {
            queue.offer(List.of(message("first", AlertSeverity.INFO)));
            await("the failure", queue, () -> queue.problem().isPresent());
            for (int i = 0; i < 60; i++) {
                queue.offer(List.of(message("more" + i, AlertSeverity.INFO)));
            }
            clock.advance(Duration.ofSeconds(1));
            await("success", queue, () -> queue.state().waiting() == 0);
            // The failed one, itself again, 50 and 10.
            assertThat(bodies).hasSize(4);
        }
    }

    @Test
    void theQueueIsBoundedAndDropsAreCounted() throws Exception {
        next(500);
        try (DestinationQueue queue = queue(ALL)) {
            queue.offer(List.of(message("first", AlertSeverity.INFO)));
            await("the failure", queue, () -> queue.problem().isPresent());
            queue.offer(Collections.nCopies(DestinationQueue.MOST_WAITING + 6, message("x", AlertSeverity.INFO)));
            assertThat(queue.state().waiting()).isEqualTo(DestinationQueue.MOST_WAITING);
            assertThat(queue.state().dropped()).isEqualTo(7);
            clock.advance(DestinationQueue.LONGEST_WAIT.plusSeconds(1));
            await("all are too old", queue, () -> queue.state().waiting() == 0);
            assertThat(queue.state().dropped()).isEqualTo(DestinationQueue.MOST_WAITING + 7);
            assertThat(bodies).hasSize(1);
            queue.offer(List.of(message("last", AlertSeverity.INFO)));
            await("it goes on", queue, () -> queue.state().lastSuccess() != null);
            assertThat(bodies.get(1)).contains("last");
        }
    }

    @Test
    void aWrongMessageDoesNotStopTheNext() throws Exception {
        next(422, 200);
        try (DestinationQueue queue = queue(ALL)) {
            queue.offer(List.of(message("wrong", AlertSeverity.INFO)));
            await("the refusal", queue, () -> queue.state().dropped() == 1);
            queue.offer(List.of(message("right", AlertSeverity.INFO)));
            await("success", queue, () -> queue.state().lastSuccess() != null);
            assertThat(bodies).hasSize(2);
            assertThat(queue.problem()).isEmpty();
            assertThat(state(queue)).contains("422");
        }
    }

    @Test
    void aWrongMessageIsDroppedWithoutThoseThatWaitWithIt() throws Exception {
        refused = "wrong";
        try (DestinationQueue queue = queue(ALL)) {
            List<AlertMessage> messages = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                messages.add(message(i == 31 ? "wrong" : "right" + i, AlertSeverity.INFO));
            }
            queue.offer(messages);
            await("all but one are sent", queue, () -> queue.state().waiting() == 0);
            assertThat(queue.state().dropped()).isEqualTo(1);
            assertThat(accepted).hasSize(49).doesNotHaveDuplicates();
            assertThat(bodies).hasSizeLessThan(20);
        }
    }

    private static String state(DestinationQueue queue) {
        return String.valueOf(queue.state().lastError());
    }

    private static void await(String what, DestinationQueue queue, java.util.function.BooleanSupplier condition) {
        Await.until(what, SOON, () -> {
            queue.turn();
            return condition.getAsBoolean();
        });
    }

    private DestinationQueue queue(Set<AlertSeverity> severities) throws IOException {
        DestinationQueue queue = new DestinationQueue("test", webhook(Optional.empty()), severities, clock);
        queue.start();
        return queue;
    }

    private Webhook webhook(Optional<Path> secret) throws IOException {
        return new Webhook(settings(secret, uri()), clock, Duration.ofMinutes(5));
    }

    private URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/hook");
    }

    private static AlertSettings.Webhook settings(Optional<Path> secret, URI url) {
        return new AlertSettings.Webhook(url, secret, Optional.empty(), ALL);
    }

    static AlertMessage message(String subject, AlertSeverity severity) {
        return new AlertMessage(
                AlertMessage.Event.FIRING,
                "degraded",
                severity,
                "2027-01-15T08:00:00Z",
                subject,
                "Something is wrong with " + subject + ".",
                subject + " 有问题。",
                "https://sluice.example/nodes?id=n1",
                "{\"id\":1,\"subject\":\"" + subject + "\"}");
    }
}
