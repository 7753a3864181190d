package io.sluice.node.gateway.chain;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.Clock;
import io.sluice.http.answer.RefusalBody;
import io.sluice.http.request.CallerAddress;
import io.sluice.node.gateway.RepliesClient;
import io.sluice.node.gateway.auth.Authenticators;
import io.sluice.node.gateway.config.RefusalPages;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.proxy.Forwarder;
import io.sluice.node.gateway.route.Access;
import io.sluice.node.gateway.route.Route;
import io.sluice.node.gateway.spi.GatewayHandler;
import io.sluice.node.trace.Tracing;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.snapshot.RuleSet;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.event.Level;

/** A gateway on a real port. Its forwarder answers 200 and reports the request it received. */
public final class GatewayUnderTest implements AutoCloseable {

    private final Vertx vertx = Vertx.vertx();
    private LocalEngine counts;
    private final AtomicInteger forwarded = new AtomicInteger();
    private final ConcurrentLinkedQueue<Integer> statuses = new ConcurrentLinkedQueue<>();
    private String rules = "rules: []";
    private volatile RuleSet inForce = RuleSet.none();
    private Optional<Engine> store = Optional.empty();
    private Clock clock = Clock.system();
    private RefusalBody refusals = RefusalBody.PROBLEM;
    private List<GatewayHandler> handlers = List.of();
    private Access access = Access.OPEN;
    private Authenticators auth = Authenticators.NONE;
    private CallerAddress caller = CallerAddress.ofPeer();
    private PathForm paths = PathForm.STRICT;
    private Duration requestTimeout = Duration.ofMinutes(5);
    private Forwarder forwarder = this::echo;
    private int port;

    public GatewayUnderTest rules(String yaml) {
        rules = yaml;
        return this;
    }

    GatewayUnderTest store(Engine engine) {
        store = Optional.of(engine);
        return this;
    }

    public GatewayUnderTest clock(Clock given) {
        clock = given;
        return this;
    }

    GatewayUnderTest refusals(RefusalBody body) {
        refusals = body;
        return this;
    }

    GatewayUnderTest handlers(GatewayHandler... given) {
        handlers = List.of(given);
        return this;
    }

    public GatewayUnderTest auth(Access wanted, Authenticators given) {
        access = wanted;
        auth = given;
        return this;
    }

    public GatewayUnderTest caller(CallerAddress given) {
        caller = given;
        return this;
    }

    GatewayUnderTest requestTimeout(Duration given) {
        requestTimeout = given;
        return this;
    }

    /** Replaces the forwarder that answers 200. */
    public GatewayUnderTest forwarding(Consumer<GatewayExchange> given) {
        forwarder = (exchange, after) -> {
            forwarded.incrementAndGet();
            given.accept(exchange);
        };
        return this;
    }

    public GatewayUnderTest start() throws Exception {
        counts = new LocalEngine(clock);
        reload(rules);
        Evaluator evaluator = new Evaluator(
                () -> inForce,
                new Limiter(counts, clock, List.of()),
                store.map(engine -> new Limiter(engine, clock, List.of())).orElse(null),
                new KeySettings(KeySecret.random(), KeySettings.DEFAULT_IPV6_PREFIX, Optional.empty()),
                clock,
                (ruling, nanos) -> {});
        Route route = new Route(
                "any", Optional.of("shop"), access, none -> Optional.empty(), requestTimeout, requestTimeout, 1 << 30);
        GatewayState state = new GatewayState(
                (host, path) -> host.equals("nowhere") ? Optional.empty() : Optional.of(route),
                auth,
                caller,
                paths,
                RefusalPages.NONE);
        Gateway gateway = new Gateway(
                () -> state,
                evaluator,
                new Extensions(handlers, refusals),
                true,
                (found, status, nanos) -> statuses.add(status),
                Tracing.UNRECORDED,
                Level.ERROR,
                clock,
                vertx);
        port = vertx.createHttpServer(
                        new HttpServerOptions().setMaxHeaderSize(64 * 1024).setMaxInitialLineLength(64 * 1024))
                .requestHandler((HttpServerRequest request) -> gateway.handle(request, forwarder))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS)
                .actualPort();
        return this;
    }

    /** Puts other rules in force. */
    GatewayUnderTest reload(String yaml) {
        RuleDocument document = RuleDocument.parse("rules.yaml", yaml);
        if (document instanceof RuleDocument.Refused refused) {
            throw new IllegalArgumentException(refused.errors().toString());
        }
        inForce = new RuleSet(inForce.version() + 1, ((RuleDocument.Accepted) document).rules());
        return this;
    }

    public int port() {
        return port;
    }

    public Vertx vertx() {
        return vertx;
    }

    /** Returns how many requests were forwarded. */
    public int forwarded() {
        return forwarded.get();
    }

    public List<Integer> statuses() {
        return List.copyOf(statuses);
    }

    public RepliesClient connect() throws Exception {
        return new RepliesClient(port);
    }

    /** Sends a GET on a new connection. */
    public RepliesClient.Reply get(String path, String... headers) throws Exception {
        return request("GET", path, "", headers);
    }

    public RepliesClient.Reply request(String method, String path, String body, String... headers) throws Exception {
        try (RepliesClient client = connect()) {
            return client.send(method, path, body, headers);
        }
    }

    private void echo(GatewayExchange exchange, Forwarder.AnswerStep after) {
        forwarded.incrementAndGet();
        Buffer body = Buffer.buffer();
        exchange.incoming().kept().forEach(body::appendBuffer);
        if (exchange.incoming().isReadWhole()) {
            answer(exchange, after, body);
            return;
        }
        exchange.request().handler(body::appendBuffer);
        exchange.request().endHandler(end -> answer(exchange, after, body));
        exchange.request().resume();
    }

    private static void answer(GatewayExchange exchange, Forwarder.AnswerStep after, Buffer body) {
        after.answered(exchange, 200, () -> {
            exchange.response().headers().setAll(exchange.answerHeaders());
            exchange.response().putHeader("X-Request-Id", exchange.parsed().id());
            exchange.response().end(told(exchange, body));
        });
    }

    private static String told(GatewayExchange exchange, Buffer body) {
        GatewayExchange.Parsed parsed = exchange.parsed();
        List<String> lines = new ArrayList<>();
        lines.add("method=" + parsed.method());
        lines.add("host=" + parsed.host());
        lines.add("authority=" + parsed.authority());
        lines.add("path=" + parsed.path());
        lines.add("target=" + parsed.target().text());
        lines.add("caller=" + parsed.caller());
        lines.add("trusted=" + !parsed.believed().isEmpty());
        lines.add("identity=" + new TreeMap<>(exchange.identity().attributes()));
        lines.add("withheld=" + Set.copyOf(exchange.withheld()));
        lines.add("set=" + exchange.forwardHeaders().entries());
        lines.add("continued=" + exchange.incoming().isContinued());
        lines.add("bytes=" + body.length());
        lines.add("loop=" + Thread.currentThread().getName().startsWith("vert.x-eventloop-thread"));
        return String.join("\n", lines);
    }

    @Override
    public void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        auth.close();
        counts.close();
    }
}
