package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.node.config.DoorAccess;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.config.TlsSettings;
import io.sluice.runtime.Store;
import io.sluice.testkit.process.SelfSigned;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The decision API with tokens, with certificates and with both. */
@Timeout(300)
class ProtectedApiTest {

    private static final String FIRST = "first-token-0123456789";
    private static final String SECOND = "second-token-0123456789";
    private static final String RULES =
            "rules: [{ id: one, limits: [{ algorithm: sliding_log, limit: 1, window: 1d }] }]";
    private static final String CHECK = "{\"attributes\": {}}";

    @TempDir
    Path folder;

    @Test
    void withoutATokenNothingIsAnsweredAndNothingCharged() throws Exception {
        try (RunningNode node = withTokens(FIRST)) {
            for (String path : List.of(
                    "/v1/check",
                    "/v1/check/batch",
                    "/v1/explain",
                    "/v1/release",
                    "/v1/renew",
                    "/v1/settle",
                    "/json",
                    "/x")) {
                refused(node.send(node.request(path).POST(BodyPublishers.ofString(CHECK))));
            }
            for (String path : List.of("/v1/rules", "/metrics", "/openapi.json", "/nowhere", "/health/", "//health")) {
                refused(node.get(path));
            }
            assertThat(check(node, FIRST).statusCode()).isEqualTo(200);
            assertThat(check(node, FIRST).statusCode()).isEqualTo(429);
        }
    }

    private static void refused(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(answer.body())
                .isEqualTo("{\"type\":\"about:blank\",\"title\":\"Unauthorized\",\"status\":401,\"detail\":"
                        + "\"Authorization: missing or invalid (expected: Bearer and a token of this node)\"}");
    }

    @Test
    void aWrongTokenOrSeveralAreRefused() throws Exception {
        try (RunningNode node = withTokens(FIRST)) {
            refused(check(node, SECOND));
            refused(check(node, FIRST + "0"));
            assertThat(answerToTwoTokens(node)).startsWith("HTTP/1.1 401 ");
        }
    }

    private static String answerToTwoTokens(RunningNode node) throws IOException {
        String header = "Authorization: Bearer " + FIRST + "\r\n";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.node.apiPort())) {
            String request = "GET /v1/rules HTTP/1.1\r\nHost: a\r\n" + header + header + "\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void aCallerWithoutATokenCannotHoldAConnectionWithAnEndlessBody() throws Exception {
        try (RunningNode node = withTokens(FIRST);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.node.apiPort())) {
            String head = "POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 401 ");
        }
    }

    @Test
    void healthIsOpenButTellsDetailsOnlyToCallersWithAToken() throws Exception {
        try (RunningNode node = withTokens(FIRST)) {
            assertThat(node.get("/health").statusCode()).isEqualTo(200);
            assertThat(node.get("/health").body()).isEqualTo("{\"status\":\"serving\"}");
            assertThat(get(node, "/health", SECOND).body()).isEqualTo("{\"status\":\"serving\"}");
            assertThat(get(node, "/health", FIRST).body()).contains("\"rule_digest\"", "\"findings\":[]");
        }
    }

    @Test
    void metricsNeedTheTokenUnlessTheyAreOpen() throws Exception {
        NodeConfig config = config(new DoorAccess(Optional.of(tokens(FIRST)), Optional.empty()));
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            refused(node.get("/metrics"));
            assertThat(get(node, "/metrics", FIRST).body()).contains("rate_limit_");
        }
        try (RunningNode node = RunningNode.start(config.withOpenMetrics(), Store::redis)) {
            assertThat(node.get("/metrics").body()).contains("rate_limit_");
            refused(node.get("/v1/rules"));
        }
    }

    @Test
    void tokensAreReplacedWhileItRunsAndABrokenFileChangesNothing() throws Exception {
        try (RunningNode node = withTokens(FIRST)) {
            assertThat(get(node, "/v1/rules", SECOND).statusCode()).isEqualTo(401);

            tokens(FIRST + "\n" + SECOND);
            await().until(() -> get(node, "/v1/rules", SECOND).statusCode() == 200);
            assertThat(get(node, "/v1/rules", FIRST).statusCode()).isEqualTo(200);

            tokens(SECOND);
            await().until(() -> get(node, "/v1/rules", FIRST).statusCode() == 401);

            for (String broken : List.of("", "short", "# nothing")) {
                tokens(broken);
                await().until(() ->
                        get(node, "/health", SECOND).body().contains("tokens unusable, the last good ones"));
                tokens(SECOND);
                await().until(() -> get(node, "/health", SECOND).body().contains("\"findings\":[]"));
            }
            Files.delete(folder.resolve("tokens"));
            await().until(() -> get(node, "/health", SECOND).body().contains("tokens unusable, the last good ones"));
            assertThat(get(node, "/v1/rules", SECOND).statusCode()).isEqualTo(200);
            assertThat(get(node, "/v1/rules", FIRST).statusCode()).isEqualTo(401);

            tokens(FIRST);
            await().until(() -> get(node, "/v1/rules", FIRST).statusCode() == 200);
            assertThat(get(node, "/v1/rules", SECOND).statusCode()).isEqualTo(401);
        }
    }

    @Test
    void anUnusableTokenFileFailsTheStart() throws Exception {
        Path missing = folder.resolve("missing");
        assertThatThrownBy(() -> Node.start(config(new DoorAccess(Optional.of(missing), Optional.empty()))))
                .isInstanceOf(StartFailedException.class)
                .hasMessage("tokens: " + missing + ": not there (expected: a file this user may read)");
        Path bad = tokens("short");
        assertThatThrownBy(() -> Node.start(config(new DoorAccess(Optional.of(bad), Optional.empty()))))
                .hasMessage("tokens: " + bad + ":1: token with 5 characters (expected: 16..1024)");
    }

    @Test
    void withAClientAuthorityServesOnlyItsClients() throws Exception {
        SelfSigned made = certificates("server", "friend", "stranger");
        TlsSettings tls = new TlsSettings(
                made.certificate("server"), made.key("server"), Optional.of(made.certificate("friend")));
        try (RunningNode node = start(new DoorAccess(Optional.empty(), Optional.of(tls)))) {
            assertThat(ask(client("server", "friend"), node, "/health", "").body())
                    .contains("rule_digest");
            assertThat(ask(client("server", "friend"), node, "/v1/rules", "").statusCode())
                    .isEqualTo(200);
            assertThatThrownBy(() -> ask(client("server", "stranger"), node, "/health", ""))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> ask(client("server", ""), node, "/health", ""))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> node.get("/health")).hasRootCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void ifBothAreRequiredACertificateAloneIsNotEnough() throws Exception {
        SelfSigned made = certificates("server", "friend");
        TlsSettings tls = new TlsSettings(
                made.certificate("server"), made.key("server"), Optional.of(made.certificate("friend")));
        try (RunningNode node = start(new DoorAccess(Optional.of(tokens(FIRST)), Optional.of(tls)))) {
            refused(ask(client("server", "friend"), node, "/v1/rules", ""));
            assertThat(ask(client("server", "friend"), node, "/v1/rules", FIRST).statusCode())
                    .isEqualTo(200);
            assertThatThrownBy(() -> ask(client("server", ""), node, "/v1/rules", FIRST))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void reloadsCertificatesWhileItRuns() throws Exception {
        SelfSigned made = certificates("first", "second");
        Path certificate = Files.copy(made.certificate("first"), folder.resolve("own.crt"));
        Path key = Files.copy(made.key("first"), folder.resolve("own.key"));
        TlsSettings tls = new TlsSettings(certificate, key, Optional.empty());
        try (RunningNode node = start(new DoorAccess(Optional.empty(), Optional.of(tls)))) {
            assertThat(serves(node, "first")).isTrue();
            assertThat(serves(node, "second")).isFalse();

            Files.copy(made.certificate("second"), certificate, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(made.key("second"), key, StandardCopyOption.REPLACE_EXISTING);
            await().until(() -> serves(node, "second"));

            Files.writeString(key, "no key");
            assertThat(serves(node, "second")).isTrue();
        }
    }

    @Test
    void badCertificatesFailTheStart() throws Exception {
        Path bad = Files.writeString(folder.resolve("bad.pem"), "bad");
        Path missing = folder.resolve("missing.pem");
        assertThatThrownBy(() -> start(new DoorAccess(
                        Optional.empty(), Optional.of(new TlsSettings(missing, missing, Optional.empty())))))
                .hasMessageStartingWith("api.tls: " + missing)
                .hasMessageEndingWith("(expected: readable PEM files)");
        assertThatThrownBy(() -> start(
                        new DoorAccess(Optional.empty(), Optional.of(new TlsSettings(bad, bad, Optional.empty())))))
                .isInstanceOf(StartFailedException.class)
                .hasMessageStartingWith("api port 0 on 127.0.0.1: its certificate or key cannot be used");
    }

    private boolean serves(RunningNode node, String certificate) throws Exception {
        try {
            return ask(client(certificate, ""), node, "/health", "").statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private RunningNode withTokens(String content) throws Exception {
        return start(new DoorAccess(Optional.of(tokens(content)), Optional.empty()));
    }

    private static RunningNode start(DoorAccess access) throws StartFailedException {
        return RunningNode.start(config(access), Store::redis);
    }

    private static NodeConfig config(DoorAccess access) {
        return NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0)
                .withApi(DoorSettings.onLoopback(0).withAccess(access));
    }

    private Path tokens(String content) throws IOException {
        return Files.writeString(folder.resolve("tokens"), content);
    }

    private SelfSigned certificates(String... names) throws Exception {
        SelfSigned made = new SelfSigned(folder);
        for (String name : names) {
            made.make(name);
        }
        return made;
    }

    private static HttpResponse<String> check(RunningNode node, String token) {
        return node.send(node.request("/v1/check")
                .header("Authorization", "Bearer " + token)
                .POST(BodyPublishers.ofString(CHECK)));
    }

    private static HttpResponse<String> get(RunningNode node, String path, String token) {
        return node.send(node.request(path).header("Authorization", "Bearer " + token));
    }

    private static HttpResponse<String> ask(HttpClient client, RunningNode node, String path, String token)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("https://localhost:" + node.node.apiPort() + path))
                .timeout(Duration.ofSeconds(60));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** @param own the name of the client's certificate; empty for none */
    private HttpClient client(String trusted, String own) throws Exception {
        KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
        authorities.load(null);
        authorities.setCertificateEntry(
                trusted,
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(Files.readAllBytes(folder.resolve(trusted + ".crt")))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(authorities);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.isEmpty() ? new KeyManager[0] : keys(own), trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private KeyManager[] keys(String name) throws Exception {
        char[] password = "changeit".toCharArray();
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(KeyStore.getInstance(folder.resolve(name + ".p12").toFile(), password), password);
        return managers.getKeyManagers();
    }
}
