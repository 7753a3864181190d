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
 * Puts questions to a server before it serves, because the first ones take longer than Envoy waits: classes are loaded, code is
 * compiled. They only look.
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
     * Asks for so long; whatever goes wrong is no reason not to serve.
     *
     * @param address of the server, if it can be asked without a certificate; it need not serve yet
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
            // Nothing was asked that anybody waits for.
        } finally {
            if (channel != null) {
                channel.shutdownNow();
            }
        }
    }

    /** A server that does not serve yet says so, and has read and written all the same. */
    private static void ask(ManagedChannel channel) {
        try {
            RateLimitServiceGrpc.newBlockingStub(channel).shouldRateLimit(QUESTION);
        } catch (StatusRuntimeException e) {
            // It is the way there that counts.
        }
    }
}
