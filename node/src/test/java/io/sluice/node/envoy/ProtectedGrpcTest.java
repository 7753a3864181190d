package io.sluice.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.sluice.node.RunningNode;
import io.sluice.node.config.DoorAccess;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.GrpcSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.config.TlsSettings;
import io.sluice.runtime.Store;
import io.sluice.testkit.process.SelfSigned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The service for Envoy with tokens, with certificates and with both. */
@Timeout(300)
class ProtectedGrpcTest {

    private static final String FIRST = "first-token-0123456789";
    private static final String SECOND = "second-token-0123456789";
    private static final String RULES = """
            domain: d
            descriptors: [{ key: a, rate_limit: { unit: day, requests_per_unit: 1 } }]
            """;
    private static final ChannelCredentials PLAIN = InsecureChannelCredentials.create();

    @TempDir
    Path folder;

    @Test
    void withoutAValidTokenACallIsUnauthenticatedAndChargesNothing() throws Exception {
        try (RunningNode node = start(new DoorAccess(Optional.of(tokens(FIRST)), Optional.empty()))) {
            assertThat(ask(node, PLAIN)).isEqualTo("UNAUTHENTICATED");
            assertThat(ask(node, PLAIN, "Bearer " + SECOND)).isEqualTo("UNAUTHENTICATED");
            assertThat(ask(node, PLAIN, "Basic " + FIRST)).isEqualTo("UNAUTHENTICATED");
            assertThat(ask(node, PLAIN, "Bearer " + FIRST, "Bearer " + FIRST)).isEqualTo("UNAUTHENTICATED");

            assertThat(ask(node, PLAIN, "Bearer " + FIRST)).isEqualTo("OK");
            assertThat(ask(node, PLAIN, "Bearer " + FIRST)).isEqualTo("OVER_LIMIT");
        }
    }

    @Test
    void theHealthServiceIsOpen() throws Exception {
        try (RunningNode node = start(new DoorAccess(Optional.of(tokens(FIRST)), Optional.empty()))) {
            assertThat(health(node, PLAIN)).isEqualTo("SERVING");
        }
    }

    @Test
    void tokensAreReplacedWhileItRuns() throws Exception {
        try (RunningNode node = start(new DoorAccess(Optional.of(tokens(FIRST)), Optional.empty()))) {
            tokens(SECOND);
            await().until(() -> !ask(node, PLAIN, "Bearer " + SECOND).equals("UNAUTHENTICATED"));
            assertThat(ask(node, PLAIN, "Bearer " + FIRST)).isEqualTo("UNAUTHENTICATED");
        }
    }

    @Test
    void withAClientAuthorityServesOnlyItsClientsAndThoseNeedTheTokenToo() throws Exception {
        SelfSigned made = new SelfSigned(folder);
        for (String name : List.of("server", "friend", "stranger")) {
            made.make(name);
        }
        TlsSettings tls = new TlsSettings(
                made.certificate("server"), made.key("server"), Optional.of(made.certificate("friend")));
        try (RunningNode node = start(new DoorAccess(Optional.of(tokens(FIRST)), Optional.of(tls)))) {
            assertThat(ask(node, showing(made, "friend"), "Bearer " + FIRST)).isEqualTo("OK");
            assertThat(ask(node, showing(made, "friend"))).isEqualTo("UNAUTHENTICATED");
            assertThat(health(node, showing(made, "friend"))).isEqualTo("SERVING");
            assertThat(ask(node, showing(made, "stranger"), "Bearer " + FIRST)).isEqualTo("UNAVAILABLE");
            assertThat(ask(node, trusting(made), "Bearer " + FIRST)).isEqualTo("UNAVAILABLE");
            assertThat(health(node, trusting(made))).isEqualTo("UNAVAILABLE");
            assertThat(health(node, PLAIN)).isEqualTo("UNAVAILABLE");
        }
    }

    private static RunningNode start(DoorAccess access) throws StartFailedException {
        DoorSettings door = DoorSettings.onLoopback(0).withAccess(access);
        return RunningNode.start(
                NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0).withGrpc(new GrpcSettings(door, false)),
                Store::redis);
    }

    private Path tokens(String content) throws IOException {
        return Files.writeString(folder.resolve("tokens"), content);
    }

    private static ChannelCredentials trusting(SelfSigned made) throws IOException {
        return TlsChannelCredentials.newBuilder()
                .trustManager(made.certificate("server").toFile())
                .build();
    }

    private static ChannelCredentials showing(SelfSigned made, String name) throws IOException {
        return TlsChannelCredentials.newBuilder()
                .trustManager(made.certificate("server").toFile())
                .keyManager(made.certificate(name).toFile(), made.key(name).toFile())
                .build();
    }

    /** Returns the code of the answer, or the status of a call that failed. */
    private static String ask(RunningNode node, ChannelCredentials credentials, String... authorizations) {
        Metadata headers = new Metadata();
        for (String each : authorizations) {
            headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), each);
        }
        RateLimitRequest request = RateLimitRequest.newBuilder()
                .setDomain("d")
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                .setKey("a")
                                .setValue("x")))
                .build();
        return call(node, credentials, channel -> RateLimitServiceGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .shouldRateLimit(request)
                .getOverallCode()
                .name());
    }

    private static String health(RunningNode node, ChannelCredentials credentials) {
        return call(node, credentials, channel -> HealthGrpc.newBlockingStub(channel)
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .check(HealthCheckRequest.getDefaultInstance())
                .getStatus()
                .name());
    }

    private static String call(
            RunningNode node, ChannelCredentials credentials, Function<ManagedChannel, String> action) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        "localhost", node.node.grpcPort().getAsInt(), credentials)
                .build();
        try {
            return action.apply(channel);
        } catch (StatusRuntimeException e) {
            return Status.fromThrowable(e).getCode().name();
        } finally {
            channel.shutdownNow();
        }
    }
}
