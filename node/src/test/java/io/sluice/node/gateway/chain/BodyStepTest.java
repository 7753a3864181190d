package io.sluice.node.gateway.chain;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.http.request.RefusedRequestException;
import io.sluice.node.gateway.RepliesClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Body fields are read if rules name them, and the body is forwarded completely. */
class BodyStepTest {

    private static final String JSON = "Content-Type: application/json";

    private GatewayUnderTest gateway;

    @BeforeEach
    void start() throws Exception {
        gateway = new GatewayUnderTest().rules("""
                        rules:
                          - { id: json, resource: /json, limits: [{ by: json.user, limit: 1, window: 1h }] }
                          - { id: form, resource: /form, limits: [{ by: form.user, limit: 1, window: 1h }] }
                          - { id: strict, resource: /strict, limits: [{ by: json.user, limit: 1, window: 1h, absent: refuse }] }
                          - { id: lax, resource: /lax, limits: [{ by: json.user, limit: 1, window: 1h, unread: absent }] }
                          - { id: laxForm, resource: /lax-form, limits: [{ by: form.user, limit: 1, window: 1h, unread: absent }] }
                          - id: laxStrict
                            resource: /lax-strict
                            limits: [{ by: json.user, limit: 1, window: 1h, absent: refuse, unread: absent }]
                          - { id: denied, resource: /denied, match: { json.user: evil }, action: deny }
                        """).start();
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
    }

    @Test
    void fieldsCountAndTheWholeBodyIsForwarded() throws Exception {
        String body = "{\"user\":\"a\",\"rest\":\"" + "x".repeat(30_000) + "\"}";
        RepliesClient.Reply first = gateway.request("POST", "/json", body, JSON);
        assertThat(first.told("bytes")).isEqualTo(Integer.toString(body.length()));
        assertThat(gateway.request("POST", "/json", body, JSON).status()).isEqualTo(429);
        assertThat(gateway.request("POST", "/json", "{\"user\":\"b\"}", JSON).status())
                .isEqualTo(200);
        String form = "Content-Type: application/x-www-form-urlencoded";
        assertThat(gateway.request("POST", "/form", "user=a", form).status()).isEqualTo(200);
        assertThat(gateway.request("POST", "/form", "user=%61", form).status()).isEqualTo(429);
    }

    @Test
    void bodiesInPiecesAndChunksAreReadAndForwardedCompletely() throws Exception {
        try (RepliesClient client = gateway.connect()) {
            client.write("POST /strict HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"use\r\n");
            client.write("8\r\nr\":\"abc\"\r\n1\r\n}\r\n0\r\n\r\n");
            RepliesClient.Reply reply = client.read();
            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.told("bytes")).isEqualTo("14");
            assertThat(client.send("POST", "/strict", "{\"user\":\"abc\"}").status())
                    .isEqualTo(429);
            assertThat(client.send("GET", "/a", "").status()).isEqualTo(200);
        }
    }

    @Test
    void fieldsThatCouldNotBeReadRefuseTheRequest() throws Exception {
        String large = "{\"user\":\"a\",\"rest\":\"" + "x".repeat(70_000) + "\"}";
        for (String path : List.of("/json", "/strict", "/denied")) {
            assertThat(gateway.request("POST", path, large, JSON).status()).isEqualTo(413);
            assertThat(gateway.request("POST", path, "{\"user\":\"a\"}", JSON, "Content-Encoding: gzip")
                            .status())
                    .isEqualTo(415);
            assertThat(gateway.request("POST", path, "{\"user\":9007199254740993}", JSON)
                            .status())
                    .isEqualTo(400);
            for (String malformed : List.of("{user:'a'}", "//\n{\"user\":\"a\"}")) {
                assertThat(gateway.request("POST", path, malformed, JSON).status())
                        .isEqualTo(400);
            }
        }
        String form = "Content-Type: application/x-www-form-urlencoded";
        assertThat(gateway.request("POST", "/form", "user=a&x=" + "x".repeat(70_000), form)
                        .status())
                .isEqualTo(413);
        assertThat(gateway.request("POST", "/form", "user=a", form, "Content-Encoding: br")
                        .status())
                .isEqualTo(415);
        assertThat(gateway.request("POST", "/form", "--b", "Content-Type: multipart/form-data; boundary=b")
                        .status())
                .isEqualTo(415);
        assertThat(gateway.forwarded()).isZero();
        try (RepliesClient client = gateway.connect()) {
            client.write("POST /json HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
            client.write("11170\r\n" + "x".repeat(70_000) + "\r\n0\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(413);
        }
    }

    @Test
    void largerBodiesHaveNoFieldsAndAreStillForwardedCompletely() throws Exception {
        String body = "{\"user\":\"a\",\"rest\":\"" + "x".repeat(200_000) + "\"}";
        assertThat(gateway.request("POST", "/lax-strict", body, JSON).status()).isEqualTo(429);
        assertThat(gateway.request("POST", "/lax", body, JSON).told("bytes"))
                .isEqualTo(Integer.toString(body.length()));
        try (RepliesClient client = gateway.connect()) {
            client.write("POST /lax-form HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < 20; i++) {
                client.write("2710\r\n" + "x".repeat(10_000) + "\r\n");
            }
            client.write("0\r\n\r\n");
            assertThat(client.read().told("bytes")).isEqualTo("200000");
        }
    }

    @Test
    void aCompressedBodyHasNoFieldsWhateverItsContent() throws Exception {
        assertThat(gateway.request("POST", "/lax-strict", "\u001f\u008b\b", JSON, "Content-Encoding: gzip")
                        .status())
                .isEqualTo(429);
        assertThat(gateway.request("POST", "/lax", "\u001f\u008b\b", JSON, "Content-Encoding: gzip")
                        .status())
                .isEqualTo(200);
        RepliesClient.Reply plain =
                gateway.request("POST", "/lax-strict", "{\"user\":\"plain\"}", JSON, "Content-Encoding: gzip");
        assertThat(plain.status()).isEqualTo(429);
        assertThat(gateway.request("POST", "/lax", "{\"user\":\"a\",\"x\":NaN}", JSON)
                        .status())
                .isEqualTo(400);
    }

    @Test
    void headersThatDescribeTheBodyCannotBeHidden() throws Exception {
        for (String hidden : List.of("content-encoding", "Content-Type")) {
            assertThat(gateway.request("POST", "/json", "{\"user\":\"a\"}", JSON, "Connection: keep-alive, " + hidden)
                            .status())
                    .isEqualTo(400);
        }
        assertThat(gateway.forwarded()).isZero();
    }

    @Test
    void fieldsThatServersReadDifferentlyAreRefused() throws Exception {
        for (String body : List.of("{\"user\":\"a\",\"user\":\"b\"}", "{\"user\":\"a\",\"USER\":\"b\"}")) {
            RepliesClient.Reply reply = gateway.request("POST", "/json", body, JSON);
            assertThat(reply.status()).isEqualTo(400);
        }
        assertThat(gateway.request("POST", "/json", "{\"user\":\"a\"}", JSON, "Content-Type: text/plain")
                        .status())
                .isEqualTo(400);
        assertThat(gateway.forwarded()).isZero();
    }

    @Test
    void callersThatExpectContinueReceiveItIfFieldsAreNeeded() throws Exception {
        try (RepliesClient client = gateway.connect()) {
            client.write("POST /json HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n");
            assertThat(client.read(true).status()).isEqualTo(100);
            client.write("{\"user\":\"z\"}");
            assertThat(client.read().told("continued")).isEqualTo("true");
        }
    }

    @Test
    void requestsWithoutABodyHaveNoFieldsAndPass() throws Exception {
        assertThat(gateway.get("/json").told("bytes")).isEqualTo("0");
        assertThat(gateway.get("/strict").status()).isEqualTo(429);
    }

    @Test
    void slowBodiesAndTooManyBodiesAreRefused() throws Exception {
        BodyStep impatient = new BodyStep(gateway.vertx(), 50, 1_000);
        for (int i = 0; i < 3; i++) {
            assertThat(answerOf(impatient, "Content-Length: 900\r\n\r\n{" + " ".repeat(800)))
                    .as("a refused body makes room for the next")
                    .isEqualTo(408);
        }
        BodyStep patient = new BodyStep(gateway.vertx(), 60_000, 1_000);
        assertThat(answerOf(patient, "Content-Length: 2000\r\n\r\n" + "x".repeat(2_000)))
                .isEqualTo(503);
        assertThat(answerOf(patient, "Content-Length: 12\r\n\r\n{\"user\":\"z\"}"))
                .isEqualTo(204);
    }

    private int answerOf(BodyStep step, String rest) throws Exception {
        GatewayUnderTest bare = new GatewayUnderTest()
                .forwarding(exchange -> {
                    try {
                        step.read(
                                exchange,
                                io.sluice.http.field.BodyFields.of(List.of("json.user")),
                                found -> exchange.response().setStatusCode(204).end());
                    } catch (RefusedRequestException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .start();
        try (bare;
                RepliesClient client = bare.connect()) {
            client.write("POST /a HTTP/1.1\r\nHost: h\r\n" + rest);
            return client.read().status();
        }
    }
}
