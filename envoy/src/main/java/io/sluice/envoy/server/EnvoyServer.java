package io.sluice.envoy.server;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.sluice.core.time.Clock;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Origin;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Serves Envoy's rate limit protocol and the gRPC health service. Thread-safe.
 *
 * <p>The server listens from the start, but answers {@code UNAVAILABLE} until {@link #open} is called. It answers calls on its
 * own event loops, and decisions never block.
 */
public final class EnvoyServer implements AutoCloseable {

    /**
     * The maximum size of a message. It fits the maximum number of descriptors and entries with 32 bytes each. Envoy itself never sends
     * more for a request that it accepts.
     */
    static final int LARGEST_MESSAGE = 512 * 1024;

    private static final int LARGEST_METADATA = 16 * 1024;
    private static final int MOST_CALLS = 1_000;
    private static final int FLOW_WINDOW = 1024 * 1024;
    private static final Duration IN_FLIGHT = Duration.ofSeconds(10);

    /** The maximum time for a message to arrive: a hundred times as long as Envoy waits for an answer. */
    private static final Duration MESSAGE_WITHIN = Duration.ofSeconds(2);

    /** Clients may send keepalive pings this often. A client that sends them more often is disconnected. */
    private static final Duration CLIENT_KEEPALIVE = Duration.ofSeconds(10);

    private static final Duration KEEPALIVE = Duration.ofSeconds(60);

    /**
     * The maximum number of resets. A client that gives up on slow answers sends up to this many; only a client that resets all its calls
     * sends more.
     */
    private static final int MOST_RESETS = 20_000;

    private static final int RESETS_IN_SECONDS = 10;

    /** The logger of the gRPC library. It logs a stack trace for each invalid message of a client, which would bury all other log lines. */
    private static final Logger LIBRARY = Logger.getLogger("io.grpc");

    static {
        LIBRARY.setLevel(Level.SEVERE);
    }

    private final Server server;
    private final HealthStatusManager health;
    private final @Nullable ReloadedTls tls;
    private final ServerLoops loops;
    private final OpenCalls calls;
    private volatile boolean open;
    private boolean leaving;

    private EnvoyServer(
            InetSocketAddress address,
            ServerCredentials credentials,
            @Nullable ReloadedTls tls,
            ServerLoops loops,
            OpenCalls calls,
            Admission admission,
            CallOrigin origins,
            RateLimitDecider decider)
            throws IOException {
        this.tls = tls;
        this.loops = loops;
        this.calls = calls;
        this.health = new HealthStatusManager();
        serving(ServingStatus.NOT_SERVING);
        MalformedMessages malformed =
                new MalformedMessages(Clock.system(), System.getLogger(MalformedMessages.class.getName()));
        this.server = loops.use(NettyServerBuilder.forAddress(address, credentials))
                .directExecutor()
                .intercept(origins)
                .intercept(calls)
                .intercept(admission) // runs before the interceptors above
                .addService(malformed.guard(new RateLimitCalls(decider, () -> open)))
                .addService(malformed.guard(health.getHealthService()))
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .maxInboundMetadataSize(LARGEST_METADATA)
                .maxConcurrentCallsPerConnection(MOST_CALLS)
                .flowControlWindow(FLOW_WINDOW)
                .permitKeepAliveTime(CLIENT_KEEPALIVE.toSeconds(), TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .keepAliveTime(KEEPALIVE.toSeconds(), TimeUnit.SECONDS)
                .maxRstFramesPerWindow(MOST_RESETS, RESETS_IN_SECONDS)
                .build()
                .start();
    }

    /**
     * Starts to listen.
     *
     * @throws IOException if the address cannot be used or a certificate file cannot be read
     * @throws GeneralSecurityException if a certificate or key is invalid
     */
    public static EnvoyServer start(
            InetSocketAddress address, Optional<TlsFiles> tls, AllowedCallers callers, RateLimitDecider decider)
            throws IOException, GeneralSecurityException {
        return start(address, tls, callers, decider, none -> Origin.UNKNOWN);
    }

    /**
     * Starts to listen for calls that carry their origin.
     *
     * @param origins reads the origin of a call, given a function that returns all values of a header by its name in lower case
     * @throws IOException if the address cannot be used or a certificate file cannot be read
     * @throws GeneralSecurityException if a certificate or key is invalid
     */
    public static EnvoyServer start(
            InetSocketAddress address,
            Optional<TlsFiles> tls,
            AllowedCallers callers,
            RateLimitDecider decider,
            Function<Function<String, List<String>>, Origin> origins)
            throws IOException, GeneralSecurityException {
        return start(address, tls, callers, decider, new CallOrigin(origins), ReloadedTls.LOOK_EVERY, MESSAGE_WITHIN);
    }

    static EnvoyServer start(
            InetSocketAddress address,
            Optional<TlsFiles> tls,
            AllowedCallers callers,
            RateLimitDecider decider,
            Duration lookEvery,
            Duration messageWithin)
            throws IOException, GeneralSecurityException {
        CallOrigin unknown = new CallOrigin(none -> Origin.UNKNOWN);
        return start(address, tls, callers, decider, unknown, lookEvery, messageWithin);
    }

    private static EnvoyServer start(
            InetSocketAddress address,
            Optional<TlsFiles> tls,
            AllowedCallers callers,
            RateLimitDecider decider,
            CallOrigin origins,
            Duration lookEvery,
            Duration messageWithin)
            throws IOException, GeneralSecurityException {
        ReloadedTls files = tls.isEmpty() ? null : ReloadedTls.open(tls.get(), lookEvery);
        ServerCredentials credentials = files == null ? InsecureServerCredentials.create() : files.credentials();
        ServerLoops loops = new ServerLoops(callers.connections());
        OpenCalls calls = new OpenCalls(messageWithin);
        try {
            return new EnvoyServer(
                    address, credentials, files, loops, calls, new Admission(callers.tokens()), origins, decider);
        } catch (IOException | RuntimeException e) {
            calls.close();
            loops.close();
            if (files != null) {
                files.close();
            }
            throw e;
        }
    }

    /**
     * Sends requests through another server, on the loopback address, while {@code more} is true. The requests ask for limits of these
     * rules and charge nothing. Call this before a server has to answer quickly.
     */
    public static void warmUp(RateLimitDecider decider, List<Rule> rules, BooleanSupplier more)
            throws IOException, GeneralSecurityException {
        RateLimitWarmUp.run(decider, rules, more);
    }

    public int port() {
        return server.getPort();
    }

    /** Starts to decide, and reports the status {@code SERVING}. */
    public void open() {
        open = true;
        serving(ServingStatus.SERVING);
    }

    /** Announces in the health service that the server is about to stop. Calls are answered until it is closed. */
    public synchronized void leave() {
        if (!leaving) {
            leaving = true;
            health.enterTerminalState();
        }
    }

    /** Accepts no more calls and waits for the calls in flight. Calls that watch the health status are ended. */
    @Override
    public void close() {
        leave();
        server.shutdown();
        calls.stopWatching();
        try {
            if (!server.awaitTermination(IN_FLIGHT.toMillis(), TimeUnit.MILLISECONDS)) {
                server.shutdownNow();
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        open = false;
        calls.close();
        loops.close();
        if (tls != null) {
            tls.close();
        }
    }

    private void serving(ServingStatus status) {
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, status);
        health.setStatus(RateLimitServiceGrpc.SERVICE_NAME, status);
    }
}
