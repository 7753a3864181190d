package io.sluice.envoy.server;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.core.time.Clock;
import io.sluice.envoy.decide.RateLimitDecider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Sends requests to a server before it serves. The first requests take longer than Envoy waits, because classes are loaded and
 * code is compiled. The requests only look.
 */
public final class RateLimitWarmUp {

    private static final RateLimitRequest QUESTION = RateLimitRequest.newBuilder()
            .setDomain("sluice.warm-up")
            .addDescriptors(RateLimitDescriptor.newBuilder()
                    .addEntries(RateLimitDescriptor.Entry.newBuilder()
                            .setKey("warm")
                            .setValue("up"))
                    .setHitsAddend(UInt64Value.of(0)))
            .build();

    private final RateLimitDecider decider;
    private final Clock clock;

    public RateLimitWarmUp(RateLimitDecider decider, Clock clock) {
        this.decider = decider;
        this.clock = clock;
    }

    /**
     * Sends requests for this long. A failure does not stop the server from serving.
     *
     * @param address the address of the server, if it can be called without a certificate; the server need not serve yet
     */
    public void run(Optional<InetSocketAddress> address, Duration span) {
        long until = clock.nanoTime() + span.toNanos();
        ManagedChannel channel = address.map(
                        server -> NettyChannelBuilder.forAddress(server, InsecureChannelCredentials.create())
                                .directExecutor()
                                .build())
                .orElse(null);
        try {
            while (clock.nanoTime() - until < 0) {
                decider.decide(QUESTION).toCompletableFuture().join();
                if (channel != null) {
                    ask(channel);
                }
            }
        } catch (RuntimeException e) {
            // No caller waits for these answers.
        } finally {
            if (channel != null) {
                channel.shutdownNow();
            }
        }
    }

    /** A server that does not serve yet answers with an error, but it has read the request and written the answer. */
    private static void ask(ManagedChannel channel) {
        try {
            RateLimitServiceGrpc.newBlockingStub(channel).shouldRateLimit(QUESTION);
        } catch (StatusRuntimeException e) {
            // Only the way through the server matters, not the answer.
        }
    }
}
