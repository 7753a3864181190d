package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.internal.PlatformDependent;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Large bodies and readers that stop: only the system's buffers and a few megabytes are held in between. */
@Timeout(300)
class BackPressureTest {

    private static final long BODY = 400L << 20;

    /** The system's buffers for two loopback connections, which grow on demand, plus the gateway's. */
    private static final long UNDER_WAY = 32L << 20;

    private static final long MEMORY = 16L << 20;
    private static final int OTHER_REQUESTS = 100;

    /** The gateway answers it without the upstream. */
    private static final String REFUSED =
            RawClient.lines("GET / HTTP/1.1", "Host: a", "Content-Length: 1", "Transfer-Encoding: chunked");

    private static final byte[] PIECE = new byte[64 * 1_024];

    @Test
    void anUploadWaitsForTheUpstreamToRead() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        AtomicLong written = new AtomicLong();
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    read.await();
                    caller.socket.getInputStream().skipNBytes(BODY);
                    caller.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            long before = memory();
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + BODY + "\r\n\r\n");
            Thread writer = writing(client.socket.getOutputStream(), written);

            assertThat(untilItStops(written, gateway)).isLessThan(UNDER_WAY);
            assertThat(memory() - before).isLessThan(MEMORY);
            read.countDown();
            writer.join();
            assertThat(written).hasValue(BODY);
            assertThat(client.message()).endsWith("hi");
        }
    }

    @Test
    void aDownloadWaitsForTheCallerToRead() throws Exception {
        AtomicLong written = new AtomicLong();
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    caller.send("HTTP/1.1 200 OK\r\nContent-Length: " + BODY + "\r\n\r\n");
                    writing(caller.socket.getOutputStream(), written).join();
                    caller.isClosed();
                });
                TestGateway gateway = TestGateway.to(upstream.origin());
                RawClient client = gateway.client()) {
            long before = memory();
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").head();

            assertThat(untilItStops(written, gateway)).isLessThan(UNDER_WAY);
            assertThat(memory() - before).isLessThan(MEMORY);
            client.socket.getInputStream().skipNBytes(BODY);
            assertThat(written).hasValue(BODY);
        }
    }

    @Test
    void anHttp2UploadWaitsForTheUpstreamToRead() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        AtomicLong written = new AtomicLong();
        Vertx vertx = Vertx.vertx();
        try (RawUpstream upstream = new RawUpstream(caller -> {
                    caller.head();
                    read.await();
                    caller.socket.getInputStream().skipNBytes(BODY);
                    caller.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
                });
                TestGateway gateway = TestGateway.to(upstream.origin())) {
            HttpClient client = vertx.createHttpClient(new HttpClientOptions()
                    .setProtocolVersion(HttpVersion.HTTP_2)
                    .setHttp2ClearTextUpgrade(false));
            long before = memory();
            CountDownLatch answered = new CountDownLatch(1);
            client.request(HttpMethod.POST, gateway.port(), "127.0.0.1", "/").onSuccess(request -> {
                request.putHeader("content-length", Long.toString(BODY));
                request.response().compose(HttpClientResponse::body).onSuccess(body -> answered.countDown());
                pump(request, written);
            });

            assertThat(untilItStops(written, gateway)).isLessThan(UNDER_WAY);
            assertThat(memory() - before).isLessThan(MEMORY);
            read.countDown();
            assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            vertx.close();
        }
    }

    private static void pump(HttpClientRequest request, AtomicLong written) {
        while (written.get() < BODY) {
            if (request.writeQueueFull()) {
                request.drainHandler(drained -> pump(request, written));
                return;
            }
            request.write(Buffer.buffer(PIECE));
            written.addAndGet(PIECE.length);
        }
        request.end();
    }

    private static Thread writing(OutputStream out, AtomicLong written) {
        Thread thread = new Thread(
                () -> {
                    try {
                        while (written.get() < BODY) {
                            out.write(PIECE);
                            written.addAndGet(PIECE.length);
                        }
                    } catch (SocketException closed) {
                        return;
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                },
                "writer");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Returns the count once it has started and does not change while the gateway answers many other requests. */
    static long untilItStops(AtomicLong count, TestGateway gateway) throws IOException {
        await().until(() -> count.get() > 0);
        long last = count.get();
        for (int same = 0; same < OTHER_REQUESTS; same++) {
            try (RawClient other = gateway.client()) {
                assertThat(other.send(REFUSED).rest()).startsWith("HTTP/1.1 400 ");
            }
            long now = count.get();
            same = now == last ? same : 0;
            last = now;
        }
        return last;
    }

    /** Returns the used memory, on and off the heap. */
    static long memory() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory() + Math.max(0, PlatformDependent.usedDirectMemory());
    }
}
