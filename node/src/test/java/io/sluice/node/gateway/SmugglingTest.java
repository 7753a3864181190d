package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that two servers may read differently: they are refused, or forwarded so that only one reading remains. */
@Timeout(300)
class SmugglingTest {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    private static final String UPGRADE =
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n";
    private static final String INNER = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 3\r\nContent-Length: 4",
                "Content-Length: 3, 4",
                "Content-Length: +3",
                "Content-Length: 0x3",
                "Content-Length: 3 3",
                "Content-Length: -3",
                "Content-Length: 99999999999999999999",
                "Content-Length : 3",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: chunked, identity",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                "Transfer-Encoding : chunked",
                "Transfer-Encoding:\u000bchunked",
                "Transfer-Encoding: \"chunked\"",
                "X: y\r\n folded\r\nTransfer-Encoding : chunked",
                "X\u0000: y",
                "X y: z"
            })
    void isRefusedAndNothingIsForwarded(String headers) throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n\r\n" + INNER);

            assertThat(client.rest()).startsWith("HTTP/1.1 400 ").doesNotContain("HTTP/1.1 200");
            assertThat(upstream.heads).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 3\r\nContent-Length: 4",
                "Content-Length: 4\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: 0",
                "Transfer-Encoding: gzip, chunked"
            })
    void a37AnUpgradeToHttp2HidesNoFraming(String framing) throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\n" + UPGRADE + framing + "\r\n\r\n" + INNER);

            assertThat(client.rest()).startsWith("HTTP/1.1 400 ").doesNotContain("HTTP/1.1 200");
            assertThat(upstream.heads).isEmpty();
        }
    }

    @Test
    void a37AnUpgradeToHttp2IsIgnoredAndNotForwarded() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            for (int i = 0; i < 2; i++) {
                client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.9.8.7\r\n" + UPGRADE + "\r\n");
                assertThat(client.message()).startsWith("HTTP/1.1 200 ");
                assertThat(upstream.last())
                        .doesNotContainIgnoringCase("upgrade")
                        .doesNotContainIgnoringCase("http2-settings")
                        .doesNotContain("10.9.8.7");
            }
        }
    }

    @Test
    void aHeaderWithoutANameIsNotForwarded() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n: nothing\r\n\r\n").message();
            for (String sent : upstream.heads) {
                assertThat(sent).doesNotContain("nothing");
            }
        }
    }

    @Test
    void chunkedWithALengthIsRefusedOrHasOneMeaning() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
            client.message();
            for (String sent : upstream.heads) {
                assertThat(sent.toLowerCase(Locale.ROOT))
                        .contains("transfer-encoding: chunked")
                        .doesNotContain("content-length");
            }
        }
    }

    @Test
    void foldedLinesAndBareLineFeedsHaveOneMeaning() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            try (RawClient client = gateway.client()) {
                client.send("GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n Content-Length: 5\r\n\r\n")
                        .message();
            }
            try (RawClient client = gateway.client()) {
                client.send("GET / HTTP/1.1\nHost: a\nX-A: b\n\n").message();
            }
            for (String sent : upstream.heads) {
                assertThat(sent.toLowerCase(Locale.ROOT))
                        .doesNotContain("\r\n content-length")
                        .doesNotContain("\r\ncontent-length");
                assertThat(sent.replace("\r\n", "")).doesNotContain("\n").doesNotContain("\r");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1;a=b\r\nx\r\n0\r\n\r\n", "1\nx\n0\n\n", "01\r\nx\r\n0\r\n\r\n", "1 \r\nx\r\n0\r\n\r\n"})
    void strangeChunksAreRefusedOrRewritten(String chunks) throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks);
            client.head();
            for (String sent : upstream.heads) {
                assertThat(sent).endsWith("\r\n\r\n1\r\nx\r\n0\r\n\r\n");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-1\r\nx\r\n0\r\n\r\n",
                "g\r\nx\r\n0\r\n\r\n",
                "ffffffffffffffffff\r\nx",
                "1\r\nxy\r\n0\r\n\r\n",
                "0x1\r\nx\r\n0\r\n\r\n"
            })
    void brokenChunksNeverReachAnUpstreamAsACompleteBody(String chunks) throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks);
            assertThat(client.rest()).doesNotContain("HTTP/1.1 200");
            assertThat(upstream.heads).isEmpty();
        }
    }

    @Test
    void aLineFeedInATargetOrHeaderCannotStartAnotherOne() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            client.send("GET /a\rX-Evil:1 HTTP/1.1\r\nHost: a\r\nX-B: c\rX-Evil: 1\r\n\r\n");
            client.head();
            for (String sent : upstream.heads) {
                assertThat(sent.replace("\r\n", "")).doesNotContain("\r");
            }
        }
    }
}
