package io.sluice.envoy.server;

import static io.sluice.envoy.decide.Desk.d;
import static io.sluice.envoy.decide.Desk.request;
import static io.sluice.envoy.decide.Desk.shown;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Codec;
import io.grpc.CompressorRegistry;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.ClientCalls;
import io.sluice.core.time.ManualClock;
import io.sluice.envoy.decide.Desk;
import io.sluice.testkit.QuietClock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class MalformedMessagesTest {

    private static final String RULES = """
            domain: d
            descriptors:
              - { key: a, rate_limit: { unit: day, requests_per_unit: 1000 } }
            """;

    private static final Duration LATER = Duration.ofMinutes(5);

    /** A field with a length beyond the end of the message. */
    private static final byte[] MALFORMED = {0x0a, 0x7f, 'x'};

    private static final MethodDescriptor<byte[], byte[]> ASK = bytes(RateLimitServiceGrpc.getShouldRateLimitMethod());

    private final LibraryLines library = new LibraryLines();

    @BeforeEach
    void listen() {
        java.util.logging.Logger.getLogger("io.grpc").addHandler(library);
    }

    @AfterEach
    void endListening() {
        java.util.logging.Logger.getLogger("io.grpc").removeHandler(library);
    }

    @Test
    void aMessageThatCannotBeReadIsAnInvalidArgumentAndNoLineOfTheLibrary() throws Exception {
        try (EnvoyServer server = open();
                Client client = Client.of(server)) {
            for (int i = 0; i < 500; i++) {
                assertThat(client.send(ASK, MALFORMED).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            }
            assertThat(client.send(bytes(HealthGrpc.getCheckMethod()), MALFORMED)
                            .getCode())
                    .isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(client.send(bytes(HealthGrpc.getWatchMethod()), MALFORMED)
                            .getCode())
                    .isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(client.asks()).isEqualTo("OK 1000/DAY 999");
        }
        assertThat(library.seen).isEmpty();
    }

    @Test
    void randomMessagesNeverFailTheServer() throws Exception {
        Random random = new Random(20);
        try (EnvoyServer server = open();
                Client client = Client.of(server)) {
            for (int i = 0; i < 500; i++) {
                byte[] message = new byte[random.nextInt(200)];
                random.nextBytes(message);
                assertThat(client.send(ASK, message).getCode()).isIn(Status.Code.OK, Status.Code.INVALID_ARGUMENT);
            }
            assertThat(client.asks()).isEqualTo("OK 1000/DAY 999");
        }
        assertThat(library.seen).isEmpty();
    }

    @Test
    void otherBadCallsAreRefusedWithoutALine() throws Exception {
        byte[] huge = new byte[EnvoyServer.LARGEST_MESSAGE + 1];
        byte[] bomb = request("d", d("a=" + "x".repeat(20 * EnvoyServer.LARGEST_MESSAGE)))
                .toByteArray();
        MethodDescriptor<byte[], byte[]> unknown = ASK.toBuilder()
                .setFullMethodName("envoy.service.ratelimit.v3.Other/Ask")
                .build();
        try (EnvoyServer server = open();
                Client client = Client.of(server);
                Client packed = Client.compressing(server, new Codec.Gzip());
                Client broken = Client.compressing(server, new NotCompressed("gzip"));
                Client foreign = Client.compressing(server, new NotCompressed("zip"))) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(ASK, huge).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                assertThat(packed.send(ASK, bomb).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                assertThat(broken.send(ASK, MALFORMED).isOk()).isFalse();
                assertThat(foreign.send(ASK, MALFORMED).getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
                assertThat(client.send(unknown, MALFORMED).getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
                garbage(server, "x".repeat(1_000));
                garbage(server, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "x".repeat(1_000));
            }
            assertThat(packed.asks()).isEqualTo("OK 1000/DAY 999");
            assertThat(client.asks()).isEqualTo("OK 1000/DAY 998");
        }
        assertThat(library.seen).isEmpty();
    }

    @Test
    void areOneLineAMinuteWithTheirCount() throws Exception {
        ManualClock clock = QuietClock.at(0);
        Lines own = new Lines();
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(new MalformedMessages(clock, own).guard(new HealthStatusManager().getHealthService()))
                .build()
                .start();
        try (Client client = Client.of(server.getPort(), CompressorRegistry.getDefaultInstance(), null)) {
            for (int i = 0; i < 300; i++) {
                if (i == 200) {
                    clock.advance(Duration.ofMinutes(1));
                }
                assertThat(client.send(bytes(HealthGrpc.getCheckMethod()), MALFORMED)
                                .getCode())
                        .isEqualTo(Status.Code.INVALID_ARGUMENT);
            }
        } finally {
            server.shutdownNow();
        }
        assertThat(own.seen)
                .satisfiesExactly(
                        first -> assertThat(first).contains("INVALID_ARGUMENT (1 so far"),
                        second -> assertThat(second).contains("INVALID_ARGUMENT (201 so far"));
    }

    private static EnvoyServer open() throws Exception {
        EnvoyServer server = EnvoyServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                AllowedCallers.ALL,
                Desk.with(RULES).decider,
                LATER,
                LATER);
        server.open();
        return server;
    }

    /** Sends bytes that are no HTTP/2, and waits for the end of the connection. */
    private static void garbage(EnvoyServer server, String bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            while (socket.getInputStream().read() >= 0) {
                // The server says goodbye first.
            }
        } catch (java.net.SocketException reset) {
            // This is an end as well.
        }
    }

    private static MethodDescriptor<byte[], byte[]> bytes(MethodDescriptor<?, ?> method) {
        return method.toBuilder(new Bytes(), new Bytes()).build();
    }

    private record Client(ManagedChannel channel, CallOptions options) implements AutoCloseable {

        static Client of(EnvoyServer server) {
            return of(server.port(), CompressorRegistry.getDefaultInstance(), null);
        }

        static Client compressing(EnvoyServer server, Codec codec) {
            CompressorRegistry known = CompressorRegistry.newEmptyInstance();
            known.register(codec);
            return of(server.port(), known, codec.getMessageEncoding());
        }

        static Client of(int port, CompressorRegistry compressors, @Nullable String compression) {
            return new Client(
                    NettyChannelBuilder.forAddress("127.0.0.1", port, InsecureChannelCredentials.create())
                            .compressorRegistry(compressors)
                            .build(),
                    CallOptions.DEFAULT.withCompression(compression).withDeadlineAfter(4, TimeUnit.MINUTES));
        }

        Status send(MethodDescriptor<byte[], byte[]> method, byte[] message) {
            try {
                ClientCalls.blockingServerStreamingCall(channel, method, options, message)
                        .forEachRemaining(answer -> {});
                return Status.OK;
            } catch (StatusRuntimeException e) {
                return e.getStatus();
            }
        }

        String asks() {
            return shown(ClientCalls.blockingUnaryCall(
                    channel, RateLimitServiceGrpc.getShouldRateLimitMethod(), options, request("d", d("a=x"))));
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Says that it compresses, but does not. */
    private static final class NotCompressed implements Codec {

        private final String name;

        NotCompressed(String name) {
            this.name = name;
        }

        @Override
        public String getMessageEncoding() {
            return name;
        }

        @Override
        public OutputStream compress(OutputStream message) {
            return message;
        }

        @Override
        public InputStream decompress(InputStream message) {
            return message;
        }
    }

    private static final class LibraryLines extends Handler {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord line) {
            seen.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private static final class Lines implements System.Logger {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
            seen.add(message);
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String format, Object... parameters) {
            seen.add(format);
        }
    }
}
