package io.sluice.node;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.ConfigRefusedException;
import io.sluice.node.config.ConfigWatch;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.OpenGateway;
import io.sluice.node.gateway.SampleUpstream;
import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.node.gateway.config.GatewayRefusedException;
import io.sluice.node.gateway.upstream.UpstreamHealth;
import io.sluice.node.transport.Patience;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The gateway of a node, with its configuration and its reloads. Thread-safe. */
final class NodeGateway implements AutoCloseable {

    private static final String WARM_UP_RULES =
            "rules: [{ id: warm-up, limits: [{ by: ip, rate: 1000000/s }, { by: [tenant, user], rate: 1000000/s }] }]";
    private static final List<String> WARM_UP_REQUESTS = List.of(
            "GET /api/orders/7?x=y HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
            "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");

    private static final String SAMPLE = "sample-routes.yaml";
    private static final String UPSTREAM = "UPSTREAM";
    private static final Duration MAY_TAKE = Duration.ofSeconds(10);

    private final String host;
    private final OpenGateway gateway;
    private final @Nullable ConfigWatch watch;

    private NodeGateway(String host, OpenGateway gateway, @Nullable ConfigWatch watch) {
        this.host = host;
        this.gateway = gateway;
        this.watch = watch;
    }

    /** Reads the configuration and starts to listen. */
    static NodeGateway open(NodeConfig.Gateway settings, OpenGateway.Resources resources) throws StartFailedException {
        String host = settings.host();
        try {
            if (settings.routes() instanceof RoutesFrom.File file) {
                Path path = file.path();
                byte[] content = ConfigWatch.content(path);
                ConfigFile config = ConfigWatch.understood(path, content);
                OpenGateway gateway = OpenGateway.open(host, settings.port(), routes(path, config), resources);
                return new NodeGateway(
                        host, gateway, ConfigWatch.open(path, content, config, gateway::take, resources.clock()));
            }
            Optional<Path> routes = ((RoutesFrom.Sample) settings.routes()).file();
            // The sample server stops with its event loops.
            GatewayConfig config = sample(routes, sampleUpstream(resources));
            return new NodeGateway(host, OpenGateway.open(host, settings.port(), config, resources), null);
        } catch (IOException e) {
            throw new StartFailedException("config: unreadable (expected: a file this user may read)", List.of());
        } catch (ConfigRefusedException e) {
            throw new StartFailedException(
                    String.valueOf(e.getMessage()),
                    e.errors().stream().map(DocumentError::toString).toList());
        } catch (GatewayRefusedException e) {
            throw new StartFailedException("config: " + e.getMessage(), List.of());
        }
    }

    /** Asks callers to use other connections from now on. Requests that arrive are still answered. */
    void leave() {
        gateway.leave();
    }

    long refusedConnections() {
        return gateway.refusedConnections();
    }

    URI address() {
        return URI.create((gateway.isTls() ? "https" : "http") + "://" + (host.contains(":") ? "[" + host + "]" : host)
                + ":" + gateway.port());
    }

    /**
     * Sends requests through a second gateway, to a separate server, while {@code more} is true. No upstream is called and nothing is
     * charged.
     */
    static void warmUp(OpenGateway.Resources resources, BooleanSupplier more) throws Exception {
        RuleDocument.Accepted rules = (RuleDocument.Accepted) RuleDocument.parse("warm-up", WARM_UP_RULES);
        RuleSet set = new RuleSet(1, rules.rules());
        try (SampleUpstream upstream = sampleUpstream(resources);
                Limiter limiter = new Limiter(new LocalEngine(resources.clock()), resources.clock(), List.of());
                OpenGateway practice = OpenGateway.openBare(
                        NodeConfig.LOOPBACK,
                        sample(Optional.empty(), upstream),
                        new OpenGateway.Resources(
                                resources.vertx(),
                                resources.arrivals(),
                                new Evaluator(
                                        () -> set,
                                        limiter,
                                        null,
                                        new KeySettings(KeySecret.random(), 64, Optional.empty()),
                                        resources.clock(),
                                        (ruling, nanos) -> {}),
                                resources.xRateLimitHeaders(),
                                (route, status, nanos) -> {},
                                resources.clock()))) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), practice.port());
            new HttpQuestions(address, WARM_UP_REQUESTS).ask(more);
        }
    }

    /** Returns problems that do not stop the gateway, as sentences. */
    List<String> findings() {
        List<String> findings = new ArrayList<>(gateway.findings());
        if (watch != null) {
            findings.addAll(watch.findings());
        }
        return findings;
    }

    List<UpstreamHealth> upstreams() {
        return gateway.upstreams();
    }

    Set<String> routes() {
        return gateway.routes();
    }

    /** Stops accepting connections and returns when all requests in flight have finished. */
    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
        gateway.close();
    }

    private static GatewayConfig routes(Path path, ConfigFile config) throws StartFailedException {
        return config.gateway()
                .orElseThrow(() -> new StartFailedException(
                        "routes: missing in " + path + "  (expected: a list, which may be empty: [])", List.of()));
    }

    private static SampleUpstream sampleUpstream(OpenGateway.Resources resources) throws StartFailedException {
        CompletableFuture<SampleUpstream> listening =
                SampleUpstream.listen(resources.vertx()).toCompletionStage().toCompletableFuture();
        try {
            Patience.await(listening, MAY_TAKE);
            return listening.join();
        } catch (ExecutionException | TimeoutException e) {
            throw new StartFailedException(
                    "sample service: cannot listen (expected: a free port of 127.0.0.1)", List.of());
        }
    }

    private static GatewayConfig sample(Optional<Path> file, SampleUpstream upstream)
            throws IOException, ConfigRefusedException, StartFailedException {
        if (file.isPresent()) {
            String text = Files.readString(file.get()).replace(UPSTREAM, upstream.origin());
            return routes(file.get(), ConfigFile.parse(file.get(), text));
        }
        try (InputStream in = NodeGateway.class.getResourceAsStream(SAMPLE)) {
            if (in == null) {
                throw new IllegalStateException(SAMPLE + " is missing from the program");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8).replace(UPSTREAM, upstream.origin());
            return routes(Path.of(SAMPLE), ConfigFile.parse(Path.of(SAMPLE), text));
        }
    }
}
