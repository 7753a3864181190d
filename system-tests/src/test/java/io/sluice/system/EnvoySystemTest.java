package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the rate limit service as Envoy uses it, with the real process, a file of the reference service and a gRPC client. */
final class EnvoySystemTest {

    private static final String RULES = """
            domain: shop
            descriptors:
              - key: user
                rate_limit: { unit: day, requests_per_unit: %d }
            """;

    @TempDir
    private Path folder;

    @Test
    void nodeServesFilesOfTheReferenceService() throws Exception {
        Path rules = Files.writeString(folder.resolve("shop.yaml"), RULES.formatted(2));
        try (SluiceProcess node = SluiceProcess.run("node", "--api-port", "0", "--rules", rules.toString())) {
            ManagedChannel channel = NettyChannelBuilder.forAddress(
                            "127.0.0.1", node.grpcPort(), InsecureChannelCredentials.create())
                    .build();
            try {
                assertThat(HealthGrpc.newBlockingStub(channel)
                                .check(HealthCheckRequest.getDefaultInstance())
                                .getStatus())
                        .isEqualTo(ServingStatus.SERVING);
                assertThat(ask(channel, 1).getOverallCode()).isEqualTo(Code.OK);
                assertThat(ask(channel, 1).getOverallCode()).isEqualTo(Code.OK);
                assertThat(ask(channel, 1).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
                assertThat(ask(channel, 10_000).getOverallCode()).isEqualTo(Code.OVER_LIMIT);

                Files.writeString(rules, RULES.formatted(3));

                Awaitility.await()
                        .atMost(60, TimeUnit.SECONDS)
                        .until(() ->
                                ask(channel, 1).getStatuses(0).getCurrentLimit().getRequestsPerUnit() == 3);
                assertThat(ask(channel, 1).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
                assertThat(node.stop()).isZero();
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static RateLimitResponse ask(ManagedChannel channel, int descriptors) {
        RateLimitDescriptor descriptor = RateLimitDescriptor.newBuilder()
                .addEntries(
                        RateLimitDescriptor.Entry.newBuilder().setKey("user").setValue("u-17"))
                .build();
        return RateLimitServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .shouldRateLimit(RateLimitRequest.newBuilder()
                        .setDomain("shop")
                        .addAllDescriptors(Collections.nCopies(descriptors, descriptor))
                        .build());
    }
}
