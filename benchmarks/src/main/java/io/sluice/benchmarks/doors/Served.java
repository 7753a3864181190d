package io.sluice.benchmarks.doors;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.node.Node;
import io.sluice.node.config.GrpcSettings;
import io.sluice.node.config.NodeConfig;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One server of a comparison. It listens on the loopback interface until the process is stopped. Its first line of output has the
 * ports for HTTP and gRPC, with 0 if it has none.
 */
public final class Served {

    private static final Buffer ANSWER = Buffer.buffer(DoorLoad.ALLOWED);

    private Served() {}

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "idle" -> say(idleApi(), idleService().getPort());
            case "node" -> {
                NodeConfig config = NodeConfig.inProcess(new NodeConfig.RulesFrom.File(Path.of(args[1])), 0)
                        .withGrpc(GrpcSettings.on(0));
                Node node = Node.start(args.length > 2 ? config.withRedis(args[2]) : config);
                say(node.apiPort(), node.grpcPort().orElse(0));
            }
            default -> throw new IllegalArgumentException("side: " + args[0] + " (expected: idle or node)");
        }
        new CountDownLatch(1).await();
    }

    private static void say(int http, int grpc) {
        System.out.println(http + " " + grpc);
    }

    /** Starts a server with a node's options that reads the body and sends an answer as long as that of a decision. */
    private static int idleApi() {
        AtomicInteger port = new AtomicInteger();
        Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
        vertx.deployVerticle(
                        () -> new VerticleBase() {
                            @Override
                            public Future<?> start() {
                                return vertx.createHttpServer(new HttpServerOptions()
                                                .setIdleTimeout(60)
                                                .setHandle100ContinueAutomatically(true))
                                        .requestHandler(Served::answer)
                                        .listen(-1, NodeConfig.LOOPBACK)
                                        .onSuccess(server -> port.set(server.actualPort()));
                            }
                        },
                        new DeploymentOptions()
                                .setInstances(Math.max(2, Runtime.getRuntime().availableProcessors())))
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        return port.get();
    }

    private static void answer(HttpServerRequest request) {
        request.body().onSuccess(body -> request.response()
                .putHeader("RateLimit-Policy", "\"user.0\";q=100000000;w=1")
                .putHeader("RateLimit", "\"user.0\";r=99999999;t=1")
                .putHeader("Content-Type", "application/json")
                .end(ANSWER));
    }

    private static Server idleService() throws Exception {
        RateLimitResponse ok = RateLimitResponse.newBuilder()
                .setOverallCode(RateLimitResponse.Code.OK)
                .addStatuses(RateLimitResponse.DescriptorStatus.newBuilder()
                        .setCode(RateLimitResponse.Code.OK)
                        .setLimitRemaining(1_000_000))
                .build();
        return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .addService(new RateLimitServiceGrpc.RateLimitServiceImplBase() {
                    @Override
                    public void shouldRateLimit(RateLimitRequest request, StreamObserver<RateLimitResponse> caller) {
                        caller.onNext(ok);
                        caller.onCompleted();
                    }
                })
                .build()
                .start();
    }
}
