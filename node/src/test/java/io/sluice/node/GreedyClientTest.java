package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.api.MemoryBudget;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that try to make the server hold too much, against a server that may hold two megabytes. */
@Timeout(300)
class GreedyClientTest {

    private static final int MOST = 2_000_000;

    private final MemoryBudget memory = new MemoryBudget(MOST);
    private final BareServer server = new BareServer(memory);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void unreadAnswersAreDroppedWhenThereAreTooMany() throws Exception {
        try (RawHttp2 client = new RawHttp2(server.port(), 0)) {
            for (int i = 0; i < 150; i++) {
                client.get("/openapi.json");
            }
            await().untilAsserted(
                            () -> assertThat(client.seen(RawHttp2.RST_STREAM)).isGreaterThan(90));

            assertThat(memory.taken()).isBetween(MOST / 2L, (long) MOST);
        }
        isFreed();
    }

    @Test
    void aConnectionWithManyUnreadAnswersIsClosed() throws Exception {
        try (BareServer impatient = BareServer.impatient(memory);
                RawHttp2 client = new RawHttp2(impatient.port(), 0)) {
            for (int i = 0; i < 17; i++) {
                client.get("/health");
            }
            await().until(client::isClosed);
            isFreed();
        }
    }

    @Test
    void endlessBodiesAreDroppedWhenThereAreTooMany() throws Exception {
        try (RawHttp2 client = new RawHttp2(server.port(), 65_535)) {
            for (int i = 0; i < 200 && client.seen(RawHttp2.RST_STREAM) == 0; i++) {
                int stream = client.post("/v1/check");
                for (int part = 0; part < 4; part++) {
                    assertThat(client.body(stream, 16_000)).isTrue();
                }
                assertThat(memory.taken()).isLessThanOrEqualTo(MOST + 64_000);
            }
            await().until(() -> client.seen(RawHttp2.RST_STREAM) > 0);
        }
        isFreed();
    }

    @Test
    void endlessBodiesAreForgottenAfterTheirRefusal() throws Exception {
        try (BareServer impatient = BareServer.impatient(memory);
                RawHttp2 client = new RawHttp2(impatient.port(), 65_535)) {
            for (int i = 0; i < 10; i++) {
                client.body(client.post("/v1/check"), 16_000);
            }
            await().until(() -> client.seen(RawHttp2.HEADERS) == 10);
            isFreed();
            assertThat(client.seen(RawHttp2.RST_STREAM)).isEqualTo(10);
            assertThat(client.isClosed()).isFalse();
        }
    }

    @Test
    void aFullServerAnswers503OverHttp1AndRecovers() throws Exception {
        assertThat(memory.take(MOST)).isTrue();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(60_000);
            OutputStream out = socket.getOutputStream();
            out.write("GET /health HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer)
                    .startsWith("HTTP/1.1 503 ")
                    .containsIgnoringCase("retry-after: 1")
                    .contains("memory: full of other requests");
        }
        memory.give(MOST);
        server.serves();
        isFreed();
    }

    @Test
    void theJdksOwnClientSendsHundredsOfRequestsAtOnce() throws Exception {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        // It asks for an upgrade to HTTP/2, which is ignored.
        assertThat(server.check(client).version()).isEqualTo(HttpClient.Version.HTTP_1_1);

        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            answers.add(client.sendAsync(server.checkRequest(), HttpResponse.BodyHandlers.ofString()));
        }

        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer.join().statusCode()).isEqualTo(200));
        isFreed();
    }

    private void isFreed() {
        await().untilAsserted(() -> assertThat(memory.taken()).isZero());
    }
}
