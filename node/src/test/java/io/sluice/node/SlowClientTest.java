package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.api.MemoryBudget;
import io.sluice.node.gateway.RawClient;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that take their time, against a server whose patience is a second or two. */
@Timeout(300)
class SlowClientTest {

    private final BareServer server = BareServer.impatient(new MemoryBudget(100_000_000));

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aSlowBodyIs408AndTheConnectionEnds() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"
                            .getBytes(StandardCharsets.US_ASCII));

            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 408 ").contains("application/problem+json", "body: too slow");
            server.serves();
        }
    }

    @Test
    void headsThatTrickleAreCutOff() throws Exception {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write("GET /health HTTP/1.1\r\nHost: x\r\n".getBytes(StandardCharsets.US_ASCII));
            await().until(() -> {
                server.tickArrivals();
                return isCut(out, "x".getBytes(StandardCharsets.US_ASCII));
            });
        }
        server.serves();
    }

    @Test
    void aClientThatNeverReadsIsCutOffAndMemoryIsNotFilled() throws Exception {
        byte[] requests = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100).getBytes(StandardCharsets.US_ASCII);
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4_096);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
            int written = 0;
            while (!isCut(socket.getOutputStream(), requests)) {
                assertThat(++written).isLessThan(100_000);
            }
        }
        server.serves();
    }

    @Test
    void aClientThatAsksAndReadsStaysHoweverManySecondsPass() throws Exception {
        try (Socket socket = connect()) {
            for (int i = 0; i < 6; i++) {
                socket.getOutputStream()
                        .write("GET /health HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                byte[] answer = new byte[15];
                assertThat(socket.getInputStream().readNBytes(answer, 0, 15)).isEqualTo(15);
                assertThat(new String(answer, StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 503");
                socket.getInputStream().skipNBytes(socket.getInputStream().available());
                server.tick();
                server.tick();
                server.tick();
            }
        }
    }

    @Test
    void requestsThatHadToWaitForTheirClientToReadAreAnsweredWhole() throws Exception {
        String pair = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
                + "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 18\r\n\r\n{\"attributes\": {}}";
        try (BareServer patient = new BareServer(new MemoryBudget(100_000_000));
                Socket socket = new Socket()) {
            socket.setReceiveBufferSize(65_536);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), patient.port()));
            try (RawClient client = new RawClient(socket)) {
                client.send(pair.repeat(400));
                for (int i = 0; i < 400; i++) {
                    assertThat(client.message()).startsWith("HTTP/1.1 200 ").endsWith("}\n");
                    assertThat(client.message()).startsWith("HTTP/1.1 200 ").contains("\"allowed\"");
                }
            }
        }
    }

    /** Writes once more; whether the other side has had enough. */
    private static boolean isCut(OutputStream out, byte[] bytes) {
        try {
            out.write(bytes);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(60_000);
        return socket;
    }
}
