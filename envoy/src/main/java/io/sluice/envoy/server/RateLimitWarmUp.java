package io.sluice.envoy.server;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.sluice.envoy.decide.RateLimitDecider;
import java.net.SocketAddress;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to a server before it serves. The first requests take longer than Envoy waits, because classes are loaded and
 * code is compiled. The requests only look.
 */
final class RateLimitWarmUp {

    private static final RateLimitRequest QUESTION = RateLimitRequest.newBuilder()
            .setDomain("sluice.warm-up")
            .addDescriptors(RateLimitDescriptor.newBuilder()
                    .addEntries(RateLimitDescriptor.Entry.newBuilder()
                            .setKey("warm")
                            .setValue("up"))
                    .setHitsAddend(UInt64Value.of(0)))
            .build();

    private RateLimitWarmUp() {}

    /**
     * Sends requests while {@code more} is true.
     *
     * @param server the address of the server, if it can be called without a certificate; null calls only the decider
     * @param headers the metadata of the calls
     */
    static void run(RateLimitDecider decider, @Nullable SocketAddress server, Metadata headers, BooleanSupplier more) {
        ManagedChannel channel = server == null
                ? null
                : NettyChannelBuilder.forAddress(server, InsecureChannelCredentials.create())
                        .directExecutor()
                        .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .build();
        try {
            while (more.getAsBoolean()) {
                decider.decide(QUESTION).toCompletableFuture().join();
                if (channel != null) {
                    ask(channel);
                }
            }
        } finally {
            if (channel != null) {
                channel.shutdownNow();
            }
        }
    }

    private static void ask(ManagedChannel channel) {
        try {
            RateLimitServiceGrpc.newBlockingStub(channel).shouldRateLimit(QUESTION);
        } catch (StatusRuntimeException e) {
            // A server that does not serve yet answers with an error, but it has read the request and written the
            // answer.
        }
    }
}
