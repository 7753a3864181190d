package io.sluice.envoy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.sluice.core.Limiter;
import io.sluice.core.time.Clock;
import io.sluice.envoy.decide.CountingMode;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Origin;
import io.sluice.rules.snapshot.RuleSet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Decisions about Envoy's requests know the trace and the id that Envoy sends along. */
@Timeout(300)
class CallOriginTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";
    private static final String PARENT = "00-" + TRACE + "-" + SPAN + "-01";

    private final List<Origin> heard = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @EnumSource(CountingMode.class)
    void metadataSaysTheTrace(CountingMode counting) throws Exception {
        try (EnvoyServer server = EnvoyServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                AllowedCallers.ALL,
                decider(counting),
                CallOriginTest::read)) {
            server.open();
            ManagedChannel channel = NettyChannelBuilder.forAddress(
                            "127.0.0.1", server.port(), InsecureChannelCredentials.create())
                    .build();
            try {
                ask(channel, List.of(PARENT), List.of("r-1"));
                assertThat(heard).containsExactly(new Origin("[r-1]", "[" + PARENT + "]", "", false));
                heard.clear();
                ask(channel, List.of(), List.of());
                ask(channel, List.of("a", "b"), List.of());
                assertThat(heard).containsExactly(Origin.UNKNOWN, new Origin("[]", "[a, b]", "", false));
            } finally {
                channel.shutdownNow();
            }
        }
    }

    @Test
    void theSameInJson() {
        Origin origin = new Origin("r-1", TRACE, SPAN, true);
        String body = "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"a\",\"value\":\"x\"}]}]}";
        EnvoyJson json = new EnvoyJson(decider(CountingMode.TOGETHER));
        assertThat(json.answer(body.getBytes(StandardCharsets.UTF_8), origin)
                        .toCompletableFuture()
                        .join()
                        .status())
                .isEqualTo(200);
        assertThat(heard).containsExactly(origin);
    }

    @Test
    void namesACallInTheLog() {
        assertThat(CallOrigin.named(Origin.UNKNOWN)).isEmpty();
        assertThat(CallOrigin.named(new Origin("r-1", TRACE, SPAN, true))).isEqualTo(", request r-1, trace " + TRACE);
    }

    /** How headers are read is no matter of this module. */
    private static Origin read(Function<String, List<String>> lines) {
        return new Origin(
                lines.apply("x-request-id").toString(),
                lines.apply("traceparent").toString(),
                "",
                false);
    }

    private static void ask(ManagedChannel channel, List<String> parents, List<String> ids) {
        Metadata metadata = new Metadata();
        parents.forEach(each -> metadata.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), each));
        ids.forEach(each -> metadata.put(Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER), each));
        RateLimitRequest request = RateLimitRequest.newBuilder()
                .setDomain("d")
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                .setKey("a")
                                .setValue("x")))
                .build();
        var unused = RateLimitServiceGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
                .withDeadlineAfter(300, TimeUnit.SECONDS)
                .shouldRateLimit(request);
    }

    private RateLimitDecider decider(CountingMode counting) {
        RulingListener listener = new RulingListener() {
            @Override
            public void ruled(Ruling.Settled ruling, long elapsedNanos) {
                throw new IllegalStateException("without its request");
            }

            @Override
            public void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
                heard.add(request.origin());
            }
        };
        return new RateLimitDecider(
                new Evaluator(
                        RuleSet::none,
                        Limiter.inProcess(),
                        null,
                        KeySettings.ofThisProcess(),
                        Clock.system(),
                        listener),
                counting);
    }
}
