package io.sluice.node;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.ConfigRefusedException;
import io.sluice.node.config.ConfigWatch;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.door.Door;
import io.sluice.node.door.DoorMeans;
import io.sluice.node.gateway.OpenGateway;
import io.sluice.node.gateway.SampleUpstream;
import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.node.gateway.config.GatewayRefusedException;
import io.sluice.node.transport.Patience;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The gateway of a node, with its configuration and its reloads. Thread-safe. */
final class NodeGateway implements Door {

    private static final String WARM_UP_RULES =
            "rules: [{ id: warm-up, limits: [{ by: ip, rate: 1000000/s }, { by: [tenant, user], rate: 1000000/s }] }]";
    private static final List<String> WARM_UP_REQUESTS = List.of(
            "GET /api/orders/7?x=y HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
            "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");

    private static final String SAMPLE = "sample-routes.yaml";
    private static final String UPSTREAM = "UPSTREAM";
    private static final Duration MAY_TAKE = Duration.ofSeconds(10);

    private final NodeConfig.Gateway settings;
    private final DoorMeans means;
    private final OpenGateway.Resources resources;
    private volatile @Nullable OpenGateway gateway;
    private volatile @Nullable ConfigWatch watch;

    NodeGateway(NodeConfig.Gateway settings, DoorMeans means) {
        this.settings = settings;
        this.means = means;
        this.resources = new OpenGateway.Resources(
                means.loops(),
                means.evaluator(),
                means.config().xRateLimitHeaders(),
                answers(means),
                means.tracing(),
                means.clock());
    }

    private static OpenGateway.AnswerListener answers(DoorMeans means) {
        OpenGateway.AnswerListener counted = means.metrics().gateway();
        return new OpenGateway.AnswerListener() {
            @Override
            public void answered(String route, int status, long nanos) {
                counted.answered(route, status, nanos);
            }

            @Override
            public void heard(Ruling.@Nullable Settled ruling, int status, long nanos) {
                means.participant().tallies().answered(ruling, status, nanos);
            }
        };
    }

    @Override
    public String name() {
        return "gateway";
    }

    /** Reads the configuration and starts to listen. */
    @Override
    public void open() throws StartFailedException {
        String host = settings.host();
        OpenGateway opened;
        try {
            if (settings.routes() instanceof RoutesFrom.File file) {
                Path path = file.path();
                byte[] content = ConfigWatch.content(path);
                ConfigFile config = ConfigWatch.understood(path, content);
                opened = OpenGateway.open(host, settings.port(), routes(path, config), resources);
                gateway = opened;
                watch = ConfigWatch.open(path, content, config, opened::take, means.clock());
            } else {
                Optional<Path> routes = ((RoutesFrom.Sample) settings.routes()).file();
                // The sample server stops with its event loops.
                GatewayConfig config = sample(routes, sampleUpstream(resources));
                opened = OpenGateway.open(host, settings.port(), config, resources);
                gateway = opened;
            }
        } catch (IOException e) {
            throw new StartFailedException("config: unreadable (expected: a file this user may read)", List.of());
        } catch (ConfigRefusedException e) {
            throw new StartFailedException(
                    String.valueOf(e.getMessage()),
                    e.errors().stream().map(DocumentError::toString).toList());
        } catch (GatewayRefusedException e) {
            throw new StartFailedException("config: " + e.getMessage(), List.of());
        }
        means.metrics().gateway().watch(opened::routes, opened::upstreams);
    }

    @Override
    public void leave() {
        OpenGateway open = gateway;
        if (open != null) {
            open.leave();
        }
    }

    @Override
    public long refusedConnections() {
        OpenGateway open = gateway;
        return open == null ? 0 : open.refusedConnections();
    }

    /** Returns the address; empty before the gateway is open. */
    Optional<URI> address() {
        String host = settings.host();
        return Optional.ofNullable(gateway)
                .map(open -> URI.create((open.isTls() ? "https" : "http") + "://"
                        + (host.contains(":") ? "[" + host + "]" : host) + ":" + open.port()));
    }

    /**
     * Sends requests through a second gateway, to a separate server, while {@code more} is true. No upstream is called and nothing is
     * charged.
     */
    @Override
    public void warmUp(BooleanSupplier more) throws Exception {
        RuleDocument.Accepted rules = (RuleDocument.Accepted) RuleDocument.parse("warm-up", WARM_UP_RULES);
        RuleSet set = new RuleSet(1, rules.rules());
        try (SampleUpstream upstream = sampleUpstream(resources);
                Limiter limiter = new Limiter(new LocalEngine(resources.clock()), resources.clock(), List.of());
                OpenGateway practice = OpenGateway.openBare(
                        NodeConfig.LOOPBACK,
                        sample(Optional.empty(), upstream),
                        new OpenGateway.Resources(
                                resources.loops(),
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

    @Override
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        OpenGateway open = gateway;
        if (open != null) {
            findings.addAll(open.findings());
        }
        ConfigWatch watched = watch;
        if (watched != null) {
            findings.addAll(watched.findings());
        }
        return findings;
    }

    @Override
    public void close() {
        ConfigWatch watched = watch;
        if (watched != null) {
            watched.close();
        }
        OpenGateway open = gateway;
        if (open != null) {
            open.close();
        }
    }

    private static GatewayConfig routes(Path path, ConfigFile config) throws StartFailedException {
        return config.gateway()
                .orElseThrow(() -> new StartFailedException(
                        "routes: missing in " + path + "  (expected: a list, which may be empty: [])", List.of()));
    }

    private static SampleUpstream sampleUpstream(OpenGateway.Resources resources) throws StartFailedException {
        CompletableFuture<SampleUpstream> listening = SampleUpstream.listen(
                        resources.loops().vertx())
                .toCompletionStage()
                .toCompletableFuture();
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
