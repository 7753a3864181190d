package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Upstreams that are unavailable, that send nonsense, or that die. */
@Timeout(300)
class BrokenUpstreamTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

    private static URI nobody() throws Exception {
        try (RawUpstream gone = new RawUpstream(caller -> {})) {
            return gone.origin();
        }
    }

    @Test
    void afterARefusedConnectionAnotherServerReceivesTheBody() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(nobody(), nobody(), upstream.origin());
                RawClient client = gateway.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(client.message()).startsWith("HTTP/1.1 200 ");
            assertThat(upstream.last()).endsWith("hello");
            await().untilAsserted(() -> assertThat(gateway.upstreams.said)
                    .containsExactly("failed", "over", "failed", "over", "answered 200", "over"));
        }
    }

    @Test
    void anUnreachableUpstreamIs502AndNoUpstreamIs503() throws Exception {
        try (TestGateway gateway = TestGateway.to(nobody());
                RawClient client = gateway.client()) {
            assertThat(client.send(GET).message())
                    .startsWith("HTTP/1.1 502 ")
                    .containsIgnoringCase("content-type: application/problem+json")
                    .contains("\"status\":502");
            assertThat(gateway.upstreams.said).containsExactly("failed", "over");
        }
        try (TestGateway gateway = TestGateway.to();
                RawClient client = gateway.client()) {
            assertThat(client.send(GET).message()).startsWith("HTTP/1.1 503 ");
        }
    }

    @Test
    void aRequestThatMayHaveBeenProcessedIsNeverRepeated() throws Exception {
        try (RawUpstream dying = new RawUpstream(RawClient::head);
                RawUpstream other = RawUpstream.answering(OK);
                TestGateway gateway = TestGateway.to(dying.origin(), other.origin());
                RawClient client = gateway.client()) {
            assertThat(client.send(GET).message()).startsWith("HTTP/1.1 502 ");
            assertThat(other.heads).isEmpty();
            assertThat(gateway.upstreams.said).containsExactly("failed", "over");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 abc OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\nab",
                "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
                "HTTP/1.1 200 O"
            })
    void nonsenseIs502(String nonsense) throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send(nonsense);
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            assertThat(client.send(GET).message()).startsWith("HTTP/1.1 502 ");
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).endsWith("over"));
            assertThat(gateway.upstreams.said).hasSize(2);
        }
    }

    @Test
    void endlessHeadersAre502() throws Exception {
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send("HTTP/1.1 200 OK\r\n" + ("X-A: " + "a".repeat(1_000) + "\r\n").repeat(100));
                    caller.head();
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            assertThat(client.send(GET).message()).startsWith("HTTP/1.1 502 ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n9\r\nab",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n"
            })
    void anAnswerThatBreaksOffNeverEndsCleanly(String part) throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send(part.substring(0, part.indexOf("abc") + 3));
                    read.await();
                    caller.send(part.substring(part.indexOf("abc") + 3));
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            String head = client.send(GET).head();
            assertThat(head).startsWith("HTTP/1.1 200 ");
            read.countDown();
            assertThat(client.rest())
                    .startsWith(part.contains("chunked") ? "3\r\nabc" : "abc")
                    .doesNotContain("0\r\n\r\n");
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).containsExactly("answered 200", "over"));
        }
    }

    @Test
    void bytesAfterTheEndReachNoCaller() throws Exception {
        try (RawUpstream upstream = RawUpstream.answering(OK + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            for (int i = 0; i < 10; i++) {
                try (RawClient client = gateway.client()) {
                    assertThat(client.send(GET).message()).doesNotContain("poison");
                }
            }
        }
    }

    @Test
    void aCallerWhoDisconnectsCancelsTheUpstreamsRequest() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    asked.countDown();
                    if (caller.isClosed()) {
                        gone.countDown();
                    }
                });
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            try (RawClient client = gateway.client()) {
                client.send(GET);
                asked.await();
            }
            gone.await();
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).containsExactly("abandoned", "over"));
        }
    }

    @Test
    void aCallerWhoDisconnectsDuringTheAnswerEndsIt() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
                    if (caller.isClosed()) {
                        gone.countDown();
                    }
                });
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            try (RawClient client = gateway.client()) {
                assertThat(client.send(GET).head()).startsWith("HTTP/1.1 200 ");
            }
            gone.await();
            await().untilAsserted(() -> assertThat(gateway.upstreams.said).containsExactly("answered 200", "over"));
        }
    }

    @Test
    void bodiesThatAreTooLargeAre413AndAbortTheUpstream() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    try {
                        caller.rest();
                    } finally {
                        gone.countDown();
                    }
                });
                TestGateway gateway = new TestGateway(wishes -> wishes.largestBody = 10, upstream.origin())) {
            try (RawClient client = gateway.client()) {
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n");
                assertThat(client.message()).startsWith("HTTP/1.1 413 ");
                assertThat(upstream.connections).hasValue(0);
            }
            try (RawClient client = gateway.client()) {
                client.send(
                        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n6\r\nabcdef\r\n");
                assertThat(client.message()).startsWith("HTTP/1.1 413 ").containsIgnoringCase("connection: close");
                assertThat(client.isClosed()).isTrue();
            }
            gone.await();
            assertThat(gateway.upstreams.said).containsExactly("abandoned", "over");
        }
    }
}
