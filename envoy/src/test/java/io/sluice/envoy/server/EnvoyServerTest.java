package io.sluice.envoy.server;

import static io.sluice.envoy.decide.Desk.d;
import static io.sluice.envoy.decide.Desk.request;
import static io.sluice.envoy.decide.Desk.shown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.core.Limiter;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import io.sluice.envoy.decide.CountingMode;
import io.sluice.envoy.decide.Desk;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.process.SelfSigned;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class EnvoyServerTest {

    private static final String RULES = """
            domain: d
            descriptors:
              - { key: a, rate_limit: { unit: day, requests_per_unit: 1 } }
            """;

    private static final Duration SOON = Duration.ofMillis(20);
    private static final Duration LATER = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @Test
    void decidesWhileItIsOpenAndReportsItInItsHealth() throws Exception {
        try (EnvoyServer server = plain(Desk.with(RULES).decider);
                Client client = Client.of(server, InsecureChannelCredentials.create())) {
            assertThat(client.health("")).isEqualTo(ServingStatus.NOT_SERVING);
            assertThatThrownBy(() -> client.ask(request("d", d("a=x")))).satisfies(is(Status.Code.UNAVAILABLE));

            server.open();

            assertThat(client.health("")).isEqualTo(ServingStatus.SERVING);
            assertThat(client.health(RateLimitServiceGrpc.SERVICE_NAME)).isEqualTo(ServingStatus.SERVING);
            assertThat(shown(client.ask(request("d", d("a=x"))))).isEqualTo("OK 1/DAY 0");
            assertThat(shown(client.ask(request("d", d("a=x"))))).isEqualTo("OVER 1/DAY 0");

            server.leave();

            assertThat(client.health("")).isEqualTo(ServingStatus.NOT_SERVING);
            assertThat(shown(client.ask(request("d", d("a=y"))))).isEqualTo("OK 1/DAY 0");
        }
    }

    @Test
    void anInvalidRequestIsAnInvalidArgument() throws Exception {
        try (EnvoyServer server = plain(Desk.with(RULES).decider);
                Client client = Client.of(server, InsecureChannelCredentials.create())) {
            server.open();
            for (RateLimitRequest bad : List.of(request("", d("a=x")), request("d"))) {
                assertThatThrownBy(() -> client.ask(bad)).satisfies(is(Status.Code.INVALID_ARGUMENT));
            }
            RateLimitRequest huge = request("d", d("a=" + "x".repeat(EnvoyServer.LARGEST_MESSAGE)));
            assertThatThrownBy(() -> client.ask(huge)).satisfies(is(Status.Code.RESOURCE_EXHAUSTED));
            assertThat(shown(client.ask(request("d", d("a=" + "x".repeat(500_000))))))
                    .isEqualTo("OK 1/DAY 0");
        }
    }

    @Test
    void callsInFlightFinishWhenItCloses() throws Exception {
        SlowEngine engine = new SlowEngine();
        EnvoyServer server = plain(decider(engine));
        server.open();
        try (Client client = Client.of(server, InsecureChannelCredentials.create())) {
            CompletableFuture<RateLimitResponse> answer =
                    CompletableFuture.supplyAsync(() -> client.ask(request("d", d("a=x"))));
            engine.asked.get(60, TimeUnit.SECONDS);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
            engine.answer();

            assertThat(answer.get(60, TimeUnit.SECONDS).getStatusesCount()).isEqualTo(1);
            closing.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void endsACallWithoutAMessageButNotOneThatWaitsForItsAnswer() throws Exception {
        SlowEngine engine = new SlowEngine();
        try (EnvoyServer server = EnvoyServer.start(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        AllowedCallers.ALL,
                        decider(engine),
                        SOON,
                        SOON);
                Client client = Client.of(server, InsecureChannelCredentials.create())) {
            server.open();
            CompletableFuture<RateLimitResponse> answer =
                    CompletableFuture.supplyAsync(() -> askUntilHeard(client, engine));
            engine.asked.get(60, TimeUnit.SECONDS);

            assertThat(client.beginAndWait().get(60, TimeUnit.SECONDS).getCode())
                    .isEqualTo(Status.Code.DEADLINE_EXCEEDED);
            assertThat(answer).isNotDone();
            engine.answer();
            assertThat(answer.get(60, TimeUnit.SECONDS).getStatusesCount()).isEqualTo(1);
        }
    }

    @Test
    void aHealthWatchDoesNotKeepItFromStopping() throws Exception {
        EnvoyServer server = plain(Desk.with(RULES).decider);
        server.open();
        try (Client client = Client.of(server, InsecureChannelCredentials.create())) {
            Watch watch = new Watch();
            HealthGrpc.newStub(client.channel).watch(HealthCheckRequest.getDefaultInstance(), watch);
            await().atMost(60, TimeUnit.SECONDS).until(() -> watch.seen.contains(ServingStatus.SERVING));

            CompletableFuture.runAsync(server::close).get(60, TimeUnit.SECONDS);

            assertThat(watch.ended.get(60, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(watch.seen).containsExactly(ServingStatus.SERVING, ServingStatus.NOT_SERVING);
        }
    }

    @Test
    void reloadsCertificatesWhileItRuns() throws Exception {
        SelfSigned made = new SelfSigned(folder);
        made.make("first");
        made.make("second");
        Path certificate = Files.copy(made.certificate("first"), folder.resolve("server.crt"));
        Path key = Files.copy(made.key("first"), folder.resolve("server.key"));
        TlsFiles files = new TlsFiles(certificate, key, Optional.empty());
        try (EnvoyServer server = EnvoyServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.of(files),
                AllowedCallers.ALL,
                Desk.with(RULES).decider,
                SOON,
                LATER)) {
            server.open();
            assertThat(serves(server, trusting(made.certificate("first")))).isTrue();
            assertThat(serves(server, trusting(made.certificate("second")))).isFalse();
            assertThat(serves(server, InsecureChannelCredentials.create())).isFalse();

            Files.copy(made.certificate("second"), certificate, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(made.key("second"), key, StandardCopyOption.REPLACE_EXISTING);
            await("the second is in use")
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> serves(server, trusting(made.certificate("second"))));
            assertThat(serves(server, trusting(made.certificate("first")))).isFalse();

            Files.writeString(key, "no key");
            assertThat(serves(server, trusting(made.certificate("second")))).isTrue();
        }
    }

    @Test
    void withAClientAuthorityServesOnlyItsClients() throws Exception {
        SelfSigned made = new SelfSigned(folder);
        made.make("server");
        made.make("friend");
        made.make("stranger");
        TlsFiles files =
                new TlsFiles(made.certificate("server"), made.key("server"), Optional.of(made.certificate("friend")));
        try (EnvoyServer server = EnvoyServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.of(files),
                AllowedCallers.ALL,
                Desk.with(RULES).decider,
                SOON,
                LATER)) {
            server.open();
            assertThat(serves(server, showing(made, "friend"))).isTrue();
            assertThat(serves(server, showing(made, "stranger"))).isFalse();
            assertThat(serves(server, trusting(made.certificate("server")))).isFalse();
        }
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() throws Exception {
        SelfSigned made = new SelfSigned(folder);
        made.make("one");
        made.make("other");
        TlsFiles files = new TlsFiles(made.certificate("one"), made.key("other"), Optional.empty());

        assertThatThrownBy(() -> EnvoyServer.start(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.of(files),
                        AllowedCallers.ALL,
                        Desk.with(RULES).decider))
                .isInstanceOf(java.security.GeneralSecurityException.class);
    }

    /** On a busy machine a message may also arrive too late; then it is sent once more. */
    private static RateLimitResponse askUntilHeard(Client client, SlowEngine engine) {
        while (true) {
            try {
                return client.ask(request("d", d("a=x")));
            } catch (StatusRuntimeException late) {
                if (engine.asked.isDone() || late.getStatus().getCode() != Status.Code.DEADLINE_EXCEEDED) {
                    throw late;
                }
            }
        }
    }

    private static EnvoyServer plain(RateLimitDecider decider) throws Exception {
        return EnvoyServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                AllowedCallers.ALL,
                decider);
    }

    /** A stub with a deadline that is never reached. */
    private static RateLimitDecider decider(Engine engine) {
        RuleSet rules = Desk.rules("""
                rules:
                  - id: d.a
                    deadline: 1m
                    envoy: { domain: d, path: [{ key: a }] }
                    limits: [{ by: descriptor.a, algorithm: fixed_window, limit: 1, window: 1d }]
                """);
        Clock clock = Clock.system();
        Limiter never = new Limiter(engine, clock, List.of());
        Evaluator evaluator = new Evaluator(
                () -> rules, Limiter.inProcess(), never, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {});
        return new RateLimitDecider(evaluator, CountingMode.TOGETHER);
    }

    private static ChannelCredentials trusting(Path certificate) throws Exception {
        return TlsChannelCredentials.newBuilder()
                .trustManager(certificate.toFile())
                .build();
    }

    private static ChannelCredentials showing(SelfSigned made, String name) throws Exception {
        return TlsChannelCredentials.newBuilder()
                .trustManager(made.certificate("server").toFile())
                .keyManager(made.certificate(name).toFile(), made.key(name).toFile())
                .build();
    }

    private static boolean serves(EnvoyServer server, ChannelCredentials credentials) throws Exception {
        try (Client client = Client.of(server, credentials)) {
            return client.health("") == ServingStatus.SERVING;
        } catch (StatusRuntimeException e) {
            return false;
        }
    }

    private static org.assertj.core.api.ThrowingConsumer<Throwable> is(Status.Code code) {
        return thrown -> assertThat(Status.fromThrowable(thrown).getCode()).isEqualTo(code);
    }

    private record Client(ManagedChannel channel) implements AutoCloseable {

        static Client of(EnvoyServer server, ChannelCredentials credentials) {
            return new Client(NettyChannelBuilder.forAddress("127.0.0.1", server.port(), credentials)
                    .build());
        }

        RateLimitResponse ask(RateLimitRequest request) {
            return RateLimitServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(60, TimeUnit.SECONDS)
                    .shouldRateLimit(request);
        }

        /** Sends the headers of a call without a message, and returns how the call ends. */
        CompletableFuture<Status> beginAndWait() {
            CompletableFuture<Status> ended = new CompletableFuture<>();
            ClientCall<RateLimitRequest, RateLimitResponse> call = channel.newCall(
                    RateLimitServiceGrpc.getShouldRateLimitMethod().toBuilder()
                            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                            .build(),
                    CallOptions.DEFAULT);
            call.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            ended.complete(status);
                        }
                    },
                    new Metadata());
            return ended;
        }

        ServingStatus health(String service) {
            return HealthGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(60, TimeUnit.SECONDS)
                    .check(HealthCheckRequest.newBuilder().setService(service).build())
                    .getStatus();
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }

    private static final class Watch implements StreamObserver<HealthCheckResponse> {

        private final List<ServingStatus> seen = new CopyOnWriteArrayList<>();
        private final CompletableFuture<Status> ended = new CompletableFuture<>();

        @Override
        public void onNext(HealthCheckResponse response) {
            seen.add(response.getStatus());
        }

        @Override
        public void onError(Throwable failure) {
            ended.complete(Status.fromThrowable(failure));
        }

        @Override
        public void onCompleted() {
            ended.complete(Status.OK);
        }
    }

    /** Answers when the test tells it to. */
    private static final class SlowEngine implements Engine {

        private final CompletableFuture<Ask> asked = new CompletableFuture<>();
        private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

        void answer() {
            outcome.complete(new EngineDecision(true, List.of(new Verdict(true, 1, 0, 0, 0, 0, 1)), 1, null));
        }

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public Answer decide(Ask ask) {
            asked.complete(ask);
            return new PendingOutcome(outcome);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public void close() {}
    }
}
