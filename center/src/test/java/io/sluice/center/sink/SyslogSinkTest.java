package io.sluice.center.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.process.SelfSigned;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SyslogSinkTest {

    private static final Pattern FORM = Pattern.compile(
            "<(\\d+)>1 (\\S+T\\S+Z) (\\S{1,255}) sluice-center (\\d+) (\\S{1,32}) - (\\{.*})", Pattern.DOTALL);

    @TempDir
    Path folder;

    private SinkLog log;

    @BeforeEach
    void start() throws Exception {
        log = new SinkLog(Files.createDirectory(folder.resolve("data")));
    }

    @AfterEach
    void stop() {
        log.close();
    }

    @Test
    void sendsFramedMessagesOverTcpAndSurvivesTheServer() throws Exception {
        Receiver first = new Receiver(0);
        AuditSinks sinks = log.follow(1_000, syslog("tcp", first.port()));
        log.add(3, "a\r\n<13>1 forged \u001b[31m \u202e é");
        log.until("three messages arrive", () -> first.messages.size() == 3);
        JsonNode row = json(first.messages.get(0), 109, "test");
        assertThat(row.get("reason").asString()).isEqualTo("a\r\n<13>1 forged \u001b[31m \u202e é");
        assertThat(first.messages).allSatisfy(text -> assertThat(text).matches("[ -~]*"));
        first.close();
        log.add(2);
        log.until("the status tells", () -> !sinks.problems().isEmpty());
        Receiver second = new Receiver(first.port());
        log.until("the rest arrives", () -> second.messages.size() >= 2);
        log.untilSent(5);
        assertThat(json(second.messages.get(second.messages.size() - 1), 109, "test")
                        .get("number")
                        .asLong())
                .isEqualTo(5);
        second.close();
    }

    @Test
    void sendsOneDatagramForEachRowAndLeavesLongDetailsOut() throws Exception {
        try (DatagramSocket server = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            AuditSinks unused = log.follow(1_000, syslog("udp", server.getLocalPort()));
            log.add(1);
            log.database.write(client -> client.sql("UPDATE command SET body = ?")
                    .param("{\"long\":\"" + "x".repeat(20_000) + "\"}")
                    .update());
            log.untilSent(1);
            DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
            server.setSoTimeout(300_000);
            server.receive(packet);
            assertThat(packet.getLength()).isLessThan(8_192);
            JsonNode row =
                    json(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII), 109, "test");
            assertThat(row.get("details_left_out").asLong()).isGreaterThan(20_000);
        }
    }

    @Test
    void refusalsAreWarnings() throws Exception {
        Receiver server = new Receiver(0);
        AuditSinks unused = log.follow(1_000, syslog("tcp", server.port()));
        log.add(1);
        log.sql("UPDATE command SET outcome = 'refused'");
        log.until("it arrives", () -> !server.messages.isEmpty());
        assertThat(json(server.messages.get(0), 108, "test").get("outcome").asString())
                .isEqualTo("refused");
        server.close();
    }

    @Test
    void sendsOverTlsToAServerThatItTrustsAndToNoOther() throws Exception {
        new SelfSigned(folder).make("log");
        new SelfSigned(folder).make("other");
        Receiver server = new Receiver(encrypted());
        URI address = URI.create("tls://127.0.0.1:" + server.port());
        AuditSinks refusing =
                log.follow(1_000, new AuditSink.Syslog(address, Optional.of(folder.resolve("other.crt"))));
        log.add(1);
        log.until("the status tells", () -> !refusing.problems().isEmpty());
        assertThat(server.messages).isEmpty();
        AuditSinks unused = log.follow(1_000, new AuditSink.Syslog(address, Optional.of(folder.resolve("log.crt"))));
        log.untilSent(1);
        log.add(1);
        log.untilSent(2);
        log.until("they arrive", () -> server.messages.size() == 2);
        assertThat(json(server.messages.get(1), 109, "test").get("number").asLong())
                .isEqualTo(2);
        server.close();
    }

    private ServerSocket encrypted() throws Exception {
        char[] password = "changeit".toCharArray();
        KeyStore keys = KeyStore.getInstance(folder.resolve("log.p12").toFile(), password);
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context.getServerSocketFactory().createServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    @Test
    void aServerThatReadsNothingBlocksNobody() throws Exception {
        try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            AuditSinks sinks = log.follow(100_000, syslog("tcp", deaf.getLocalPort()));
            log.add(1_500, "x".repeat(10_000));
            // Turns return, rows are written, and the connection is dropped after a minute of the clock.
            log.until("the sink sends", sinks::isSending);
            log.until("the status tells", () -> {
                // The thread that sends is held in a write.
                log.clock.advanceMeanwhile(Duration.ofSeconds(1));
                return !sinks.problems().isEmpty();
            });
            log.add(1);
            assertThat(sinks.states().get(0).sent()).isLessThan(1_500);
        }
    }

    private static AuditSink.Syslog syslog(String scheme, int port) {
        return new AuditSink.Syslog(URI.create(scheme + "://127.0.0.1:" + port), Optional.empty());
    }

    private static JsonNode json(String message, int priority, String kind) {
        Matcher form = FORM.matcher(message);
        assertThat(form.matches()).as(message).isTrue();
        assertThat(form.group(1)).isEqualTo(Integer.toString(priority));
        assertThat(form.group(5)).isEqualTo(kind);
        return JsonMapper.shared().readTree(form.group(6));
    }

    /** A server for syslog over TCP with the length in front of each message. */
    private static final class Receiver implements AutoCloseable {

        final List<String> messages = new CopyOnWriteArrayList<>();
        private final ServerSocket server;
        private volatile @Nullable Socket client;

        Receiver(int port) throws IOException {
            this(plain(port));
        }

        Receiver(ServerSocket server) {
            this.server = server;
            Thread thread = new Thread(this::run, "syslog-receiver");
            thread.setDaemon(true);
            thread.start();
        }

        private static ServerSocket plain(int port) throws IOException {
            ServerSocket server = new ServerSocket();
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return server;
        }

        int port() {
            return server.getLocalPort();
        }

        private void run() {
            while (!server.isClosed()) {
                try {
                    Socket accepted = server.accept();
                    client = accepted;
                    read(new DataInputStream(accepted.getInputStream()));
                } catch (IOException e) {
                    // The client or the test ended it.
                }
            }
        }

        private void read(DataInputStream in) throws IOException {
            int length = 0;
            for (int each = in.read(); each >= 0; each = in.read()) {
                if (each == ' ') {
                    byte[] message = new byte[length];
                    in.readFully(message);
                    messages.add(new String(message, StandardCharsets.UTF_8));
                    length = 0;
                } else {
                    length = length * 10 + each - '0';
                }
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
            Socket open = client;
            if (open != null) {
                open.close();
            }
        }
    }
}
