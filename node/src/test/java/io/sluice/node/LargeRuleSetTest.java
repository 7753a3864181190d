package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.node.api.MemoryBudget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code GET /v1/rules} with rules that are several times larger than what the server may hold. */
@Timeout(300)
class LargeRuleSetTest {

    private static final int RULES = 8_000;
    private static final int MOST = 2_000_000;

    private final MemoryBudget memory = new MemoryBudget(MOST);
    private final BareServer server = new BareServer(memory, rules());
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
    }

    private static String rules() {
        StringBuilder text = new StringBuilder("rules:\n");
        for (int i = 0; i < RULES; i++) {
            text.append("- { id: r").append(i).append(", limits: [{ rate: 1 }], message: '");
            text.append("x".repeat(1_000)).append("' }\n");
        }
        return text.toString();
    }

    @Test
    void aSetThatIsLargerThanTheBudgetIsAnsweredWhole() throws Exception {
        for (HttpClient.Version version : HttpClient.Version.values()) {
            HttpResponse<String> answer =
                    get(HttpClient.newBuilder().version(version).build());

            assertThat(answer.statusCode()).isEqualTo(200);
            JsonNode document = new ObjectMapper().readTree(answer.body());
            assertThat(document.path("version").asInt()).isEqualTo(1);
            assertThat(document.path("digest").asText()).hasSize(64);
            assertThat(document.path("rules")).hasSize(RULES);
            assertThat(document.path("rules").path(RULES - 1).path("id").asText())
                    .isEqualTo("r" + (RULES - 1));
        }
        isFreed();
    }

    @Test
    void callersThatDoNotReadHoldNoMoreThanTheBudgetAndTheNextOnesAreRefused() throws Exception {
        for (int i = 0; i < 40; i++) {
            ask(server);
        }
        // Each answer reserves a fixed amount, so that about ten fit.
        await().until(() -> memory.taken() > MOST / 2);
        HttpResponse<String> refused = await().until(
                        () -> get(HttpClient.newBuilder()
                                .version(HttpClient.Version.HTTP_1_1)
                                .build()),
                        answer -> answer.statusCode() == 503);
        assertThat(refused.headers().firstValue("retry-after")).contains("1");
        assertThat(memory.taken()).isLessThanOrEqualTo(MOST);

        for (Socket socket : sockets) {
            socket.close();
        }
        isFreed();
        assertThat(get(HttpClient.newHttpClient()).statusCode()).isEqualTo(200);
    }

    @Test
    void aCallerThatReadsNothingIsCutOffAndItsMemoryIsFreed() throws Exception {
        try (BareServer impatient = BareServer.impatient(memory, rules());
                RawHttp2 client = new RawHttp2(impatient.port(), 0)) {
            ask(impatient);
            client.get("/v1/rules");
            await().until(() -> client.seen(RawHttp2.RST_STREAM) == 1);
            isFreed();
        }
    }

    @Test
    void headHasNoBody() throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri())
                                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
        isFreed();
    }

    /** Sends a request and never reads the answer. */
    private void ask(BareServer asked) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(4_096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), asked.port()));
        socket.getOutputStream().write("GET /v1/rules HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private HttpResponse<String> get(HttpClient client) throws Exception {
        return client.send(HttpRequest.newBuilder(uri()).build(), HttpResponse.BodyHandlers.ofString());
    }

    private URI uri() {
        return URI.create("http://127.0.0.1:" + server.port() + "/v1/rules");
    }

    private void isFreed() {
        await().untilAsserted(() -> assertThat(memory.taken()).isZero());
    }
}
