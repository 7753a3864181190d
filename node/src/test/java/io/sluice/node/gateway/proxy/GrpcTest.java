package io.sluice.node.gateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCredentials;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.testkit.process.SelfSigned;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** gRPC, which sends its status in trailers, through a whole node: without TLS on both sides, and with TLS on both. */
@Timeout(300)
class GrpcTest {

    private static final Metadata.Key<String> ASKED = Metadata.Key.of("x-asked", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> FIRST = Metadata.Key.of("x-first", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> SUM = Metadata.Key.of("x-sum", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<byte[]> DETAIL = Metadata.Key.of("x-detail-bin", Metadata.BINARY_BYTE_MARSHALLER);
    private static final byte[] BYTES = {0, 1, (byte) 0xff};

    private static final MethodDescriptor<String, String> ECHO = method("Echo", MethodType.UNARY);
    private static final MethodDescriptor<String, String> LIMITED = method("Limited", MethodType.UNARY);
    private static final MethodDescriptor<String, String> FAIL = method("Fail", MethodType.UNARY);
    private static final MethodDescriptor<String, String> COUNT = method("Count", MethodType.SERVER_STREAMING);
    private static final MethodDescriptor<String, String> BREAK_OFF = method("BreakOff", MethodType.SERVER_STREAMING);
    private static final MethodDescriptor<String, String> TALK = method("Talk", MethodType.BIDI_STREAMING);

    private static final String RULES = """
            rules:
              - { id: limited, resource: /test.Words/Limited, limits: [{ limit: 2, window: 1h }] }
            """;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAnswerEndsWithItsStatusAndMetadataInTrailers(boolean tls) throws Exception {
        try (Words words = new Words(tls)) {
            Heard heard = words.ask(ECHO, "hello");
            Status status = heard.status();

            assertThat(status.getCode()).as(status.toString()).isEqualTo(Status.Code.OK);
            assertThat(heard.messages).containsExactly("hello asked by me");
            assertThat(heard.headers.get(FIRST)).isEqualTo("1");
            assertThat(heard.headers.containsKey(SUM)).isFalse();
            assertThat(heard.trailers.get(SUM)).isEqualTo("7");
            assertThat(heard.trailers.get(DETAIL)).isEqualTo(BYTES);
            assertThat(heard.trailers.containsKey(FIRST)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anErrorWithoutAMessageHasOnlyTrailers(boolean tls) throws Exception {
        try (Words words = new Words(tls)) {
            Heard heard = words.ask(FAIL, "hello");
            Status status = heard.status();

            assertThat(status.getCode()).as(status.toString()).isEqualTo(Status.Code.FAILED_PRECONDITION);
            assertThat(status.getDescription()).isEqualTo("not 100 % wörd:\nhello");
            assertThat(heard.messages).isEmpty();
            assertThat(heard.headers.keys()).isEmpty();
            assertThat(heard.trailers.get(SUM)).isEqualTo("7");
            assertThat(heard.trailers.get(DETAIL)).isEqualTo(BYTES);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStreamOfMessagesArrivesCompletelyAndInOrder(boolean tls) throws Exception {
        try (Words words = new Words(tls)) {
            Heard heard = words.ask(COUNT, "1000");
            Status status = heard.status();

            assertThat(status.getCode()).as(status.toString()).isEqualTo(Status.Code.OK);
            assertThat(heard.messages).hasSize(1_000);
            for (int i = 0; i < 1_000; i++) {
                assertThat(heard.messages.get(i)).isEqualTo(i + "x".repeat(i));
            }
            assertThat(heard.trailers.get(SUM)).isEqualTo("7");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anErrorAfterMessagesKeepsThem(boolean tls) throws Exception {
        try (Words words = new Words(tls)) {
            Heard heard = words.ask(BREAK_OFF, "3");
            Status status = heard.status();

            assertThat(status.getCode()).as(status.toString()).isEqualTo(Status.Code.DATA_LOSS);
            assertThat(status.getDescription()).isEqualTo("no more");
            assertThat(heard.messages).containsExactly("0", "1x", "2xx");
            assertThat(heard.trailers.get(SUM)).isEqualTo("7");
            assertThat(heard.trailers.get(DETAIL)).isEqualTo(BYTES);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachSideMaySendBeforeTheOtherHasEnded(boolean tls) throws Exception {
        try (Words words = new Words(tls)) {
            Heard heard = words.begin(TALK);
            for (int i = 0; i < 10; i++) {
                heard.call.sendMessage("word " + i);
                assertThat(heard.next()).isEqualTo("word " + i + " asked by me");
            }
            heard.call.halfClose();
            Status status = heard.status();

            assertThat(status.getCode()).as(status.toString()).isEqualTo(Status.Code.OK);
            assertThat(heard.trailers.get(SUM)).isEqualTo("7");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRefusedCallFailsAndOthersOnItsConnectionDoNot(boolean tls) throws Exception {
        try (Words words = new Words(tls)) {
            for (int i = 0; i < 4; i++) {
                Heard heard = words.ask(LIMITED, "hello");
                Status status = heard.status();
                if (i < 2) {
                    assertThat(status.getCode()).as(status.toString()).isEqualTo(Status.Code.OK);
                    assertThat(heard.messages).hasSize(1);
                } else {
                    assertThat(status.getCode()).as(status.toString()).isEqualTo(Status.Code.UNAVAILABLE);
                    assertThat(status.getDescription()).contains("429");
                    assertThat(heard.messages).isEmpty();
                }
                Status other = words.ask(ECHO, "hello").status();
                assertThat(other.getCode()).as(other.toString()).isEqualTo(Status.Code.OK);
            }
        }
    }

    private static MethodDescriptor<String, String> method(String name, MethodType type) {
        return MethodDescriptor.<String, String>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName("test.Words", name))
                .setRequestMarshaller(new Text())
                .setResponseMarshaller(new Text())
                .build();
    }

    private static final class Text implements MethodDescriptor.Marshaller<String> {

        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try (stream) {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** What the server does with a message. */
    private interface Conduct {

        void heard(ServerCall<String, String> call, String asked, String message);
    }

    /** A server, a node in front of it, and a client of the node. */
    private final class Words implements AutoCloseable {

        private final Server server;
        private final Node node;
        private final ManagedChannel channel;

        Words(boolean tls) throws Exception {
            SelfSigned made = new SelfSigned(folder);
            ServerCredentials offered = InsecureServerCredentials.create();
            ChannelCredentials trusted = InsecureChannelCredentials.create();
            String gatewayTls = "";
            String upstreamTls = "";
            if (tls) {
                made.make("upstream");
                made.make("gateway");
                offered = TlsServerCredentials.create(
                        made.certificate("upstream").toFile(),
                        made.key("upstream").toFile());
                trusted = TlsChannelCredentials.newBuilder()
                        .trustManager(made.certificate("gateway").toFile())
                        .build();
                gatewayTls = ", tls: { cert: gateway.crt, key: gateway.key }";
                upstreamTls = ", tls: { ca: upstream.crt }";
            }
            server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), offered)
                    .addService(service())
                    .build()
                    .start();
            // The timeouts are longer than those of the test, however slow the machine.
            Path config = Files.writeString(folder.resolve("sluice.yaml"), """
                    gateway: { connect_timeout: 5m%s }
                    services:
                      words: { upstreams: "%s://127.0.0.1:%d", http2: true%s }
                    routes:
                      - { path: /test.Words/**, service: words, timeout: 10m, idle_timeout: 10m }
                    """.formatted(
                            gatewayTls, tls ? "https" : "http", server.getPort(), upstreamTls));
            node = Node.start(NodeConfig.inProcess(new RulesFrom.Text("rules", RULES), 0)
                    .withGateway(0, new RoutesFrom.File(config)));
            channel = NettyChannelBuilder.forAddress(
                            "127.0.0.1", node.gateway().orElseThrow().getPort(), trusted)
                    .build();
        }

        private static ServerServiceDefinition service() {
            Conduct echo = (call, asked, message) -> {
                call.sendHeaders(metadata(FIRST, "1"));
                call.sendMessage(message + " asked by " + asked);
                call.close(Status.OK, ending());
            };
            return ServerServiceDefinition.builder("test.Words")
                    .addMethod(ECHO, (call, headers) -> listen(call, headers, echo))
                    .addMethod(LIMITED, (call, headers) -> listen(call, headers, echo))
                    .addMethod(
                            FAIL,
                            (call, headers) -> listen(
                                    call,
                                    headers,
                                    (same, asked, message) -> same.close(
                                            Status.FAILED_PRECONDITION.withDescription("not 100 % wörd:\n" + message),
                                            ending())))
                    .addMethod(
                            COUNT,
                            (call, headers) ->
                                    listen(call, headers, (same, asked, message) -> count(same, message, Status.OK)))
                    .addMethod(
                            BREAK_OFF,
                            (call, headers) -> listen(
                                    call,
                                    headers,
                                    (same, asked, message) ->
                                            count(same, message, Status.DATA_LOSS.withDescription("no more"))))
                    .addMethod(TALK, (call, headers) -> {
                        call.sendHeaders(new Metadata());
                        return listen(
                                call,
                                headers,
                                (same, asked, message) -> same.sendMessage(message + " asked by " + asked),
                                () -> call.close(Status.OK, ending()));
                    })
                    .build();
        }

        private static void count(ServerCall<String, String> call, String to, Status status) {
            call.sendHeaders(metadata(FIRST, "1"));
            for (int i = 0; i < Integer.parseInt(to); i++) {
                call.sendMessage(i + "x".repeat(i));
            }
            call.close(status, ending());
        }

        private static ServerCall.Listener<String> listen(
                ServerCall<String, String> call, Metadata headers, Conduct conduct) {
            return listen(call, headers, conduct, () -> {});
        }

        private static ServerCall.Listener<String> listen(
                ServerCall<String, String> call, Metadata headers, Conduct conduct, Runnable ended) {
            call.request(Integer.MAX_VALUE);
            return new ServerCall.Listener<>() {
                @Override
                public void onMessage(String message) {
                    conduct.heard(call, String.valueOf(headers.get(ASKED)), message);
                }

                @Override
                public void onHalfClose() {
                    ended.run();
                }
            };
        }

        private static Metadata metadata(Metadata.Key<String> key, String value) {
            Metadata metadata = new Metadata();
            metadata.put(key, value);
            return metadata;
        }

        private static Metadata ending() {
            Metadata metadata = metadata(SUM, "7");
            metadata.put(DETAIL, BYTES);
            return metadata;
        }

        Heard begin(MethodDescriptor<String, String> method) {
            Heard heard = new Heard(channel.newCall(method, CallOptions.DEFAULT));
            heard.call.start(heard, metadata(ASKED, "me"));
            heard.call.request(Integer.MAX_VALUE);
            return heard;
        }

        Heard ask(MethodDescriptor<String, String> method, String message) {
            Heard heard = begin(method);
            heard.call.sendMessage(message);
            heard.call.halfClose();
            return heard;
        }

        @Override
        public void close() throws Exception {
            channel.shutdownNow();
            node.close();
            server.shutdownNow();
            assertThat(channel.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            assertThat(server.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** All that a call received. Read it only after its status has arrived. */
    private static final class Heard extends ClientCall.Listener<String> {

        private final ClientCall<String, String> call;
        private final List<String> messages = new ArrayList<>();
        private final BlockingQueue<String> unread = new LinkedBlockingQueue<>();
        private final CompletableFuture<Status> closed = new CompletableFuture<>();
        private Metadata headers = new Metadata();
        private Metadata trailers = new Metadata();

        Heard(ClientCall<String, String> call) {
            this.call = call;
        }

        @Override
        public void onHeaders(Metadata came) {
            headers = came;
        }

        @Override
        public void onMessage(String message) {
            messages.add(message);
            unread.add(message);
        }

        @Override
        public void onClose(Status status, Metadata came) {
            trailers = came;
            closed.complete(status);
        }

        String next() throws Exception {
            return unread.poll(60, TimeUnit.SECONDS);
        }

        Status status() throws Exception {
            return closed.get(60, TimeUnit.SECONDS);
        }
    }
}
