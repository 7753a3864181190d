package io.sluice.center.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** HTTP servers that never stop sending, or stop in the middle of an answer. */
class RemoteHttpTest {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final String HEAD = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
    private static final String CHUNKED = HEAD + "Transfer-Encoding: chunked\r\n\r\n";

    /** The end of an answer without an end, so that a test can fail in another way than by running out of memory. */
    private static final long LARGE = 64_000_000;

    /** More than a megabyte and what the system buffers. */
    private static final long BOUNDED = 16_000_000;

    private final QuietClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final RemoteHttp http = new RemoteHttp(Optional.empty());
    private ServerSocket server;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @Test
    void aWholeAnswerIsRead() throws Exception {
        answer(HEAD + "Content-Length: 3\r\nX-Kind: short\r\n\r\nyes");
        try (Conversation conversation = Conversation.begin(clock, LIMIT)) {
            RemoteHttp.Answer answer = http.send(request(), conversation);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.headers().firstValue("x-kind")).contains("short");
            assertThat(answer.body()).asString(StandardCharsets.US_ASCII).isEqualTo("yes");
            assertThat(conversation.problem()).isEmpty();
        }
    }

    @Test
    void noBodyIsReadWithoutAnEnd() throws Exception {
        for (List<String> answer : List.of(
                List.of(HEAD + "\r\n", "aaaaaaaaaaaaaaaa"),
                List.of(CHUNKED, "4\r\naaaa\r\n"),
                List.of(CHUNKED + "1;", "aaaaaaaaaaaaaaaa"))) {
            FutureTask<Long> sent = start(answer.get(0), answer.get(1));
            assertFails(answer);
            assertThat(sent.get(2, TimeUnit.MINUTES)).as(answer.toString()).isLessThan(BOUNDED);
        }
    }

    /** This is a promise of the JDK. It does not close the connection then. */
    @Test
    void noHeadIsReadWithoutAnEnd() throws Exception {
        for (List<String> answer : List.of(
                List.of("HTTP/1.1 200 ", "aaaaaaaaaaaaaaaa"),
                List.of(HEAD + "X: ", "aaaaaaaaaaaaaaaa"),
                List.of(HEAD, "A: b\r\n"),
                List.of("", "HTTP/1.1 103 Early Hints\r\n\r\n"))) {
            FutureTask<Long> unused = start(answer.get(0), answer.get(1));
            assertFails(answer);
        }
    }

    private void assertFails(List<String> answer) {
        try (Conversation conversation = Conversation.begin(clock, LIMIT)) {
            assertThatThrownBy(() -> http.send(request(), conversation))
                    .as(answer.toString())
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void allAnswersOfAConversationShareItsBytes() throws Exception {
        String half = "a".repeat(Conversation.MAX_BYTES / 2);
        String answer = HEAD + "Content-Length: " + half.length() + "\r\n\r\n" + half;
        try (Conversation conversation = Conversation.begin(clock, LIMIT)) {
            for (int i = 0; i < 2; i++) {
                answer(answer);
                assertThat(http.send(request(), conversation).body()).hasSize(half.length());
            }
            answer(HEAD + "Content-Length: 1\r\n\r\na");
            assertThatThrownBy(() -> http.send(request(), conversation))
                    .hasMessage("its answer has more than 1048576 bytes");
        }
    }

    @Test
    void oneDeadlineEndsAnAnswerAtAnyPoint() throws Exception {
        for (String begin : List.of("", HEAD, HEAD + "Content-Length: 5\r\n\r\naa", CHUNKED + "4\r\naaaa\r\n")) {
            FutureTask<Throwable> asked = new FutureTask<>(() -> {
                try (Conversation conversation = Conversation.begin(clock, LIMIT)) {
                    return catchThrowable(() -> http.send(request(), conversation));
                }
            });
            daemon(asked);
            try (Socket client = server.accept()) {
                client.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
                clock.advance(LIMIT.minusMillis(1));
                assertThat(asked.isDone()).isFalse();
                clock.advance(Duration.ofMillis(1));
                assertThat(asked.get(2, TimeUnit.MINUTES))
                        .as(begin)
                        .isInstanceOf(IOException.class)
                        .hasMessage("no complete answer (expected: within 10 s)");
            }
        }
    }

    @Test
    void nothingIsSentAfterTheEndOfAConversation() {
        Conversation conversation = Conversation.begin(clock, LIMIT);
        clock.advance(LIMIT);
        assertThat(conversation.isLate()).isTrue();
        assertThatThrownBy(() -> new RemoteSockets(conversation, (SSLSocketFactory) SSLSocketFactory.getDefault())
                        .createSocket())
                .isInstanceOf(IOException.class);
        conversation.close();
    }

    /** Answers the next connection with a text. */
    private void answer(String text) {
        FutureTask<Long> unused = start(text, "");
    }

    /** Answers the next connection with a text, and then with a part again and again until the client ends the connection. */
    private FutureTask<Long> start(String begin, String part) {
        FutureTask<Long> sent = new FutureTask<>(() -> {
            byte[] parts = part.repeat(2_000).getBytes(StandardCharsets.US_ASCII);
            long bytes = 0;
            try (Socket client = server.accept()) {
                OutputStream out = client.getOutputStream();
                out.write(begin.getBytes(StandardCharsets.US_ASCII));
                while (parts.length > 0 && bytes < LARGE) {
                    out.write(parts);
                    bytes += parts.length;
                }
                // The client may still read.
                int unused = client.getInputStream().readAllBytes().length;
            } catch (IOException e) {
                // The client has gone.
            }
            return bytes;
        });
        daemon(sent);
        return sent;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private HttpRequest request() {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.getLocalPort() + "/"))
                .build();
    }
}
