package io.sluice.node.gateway;

import io.sluice.core.Limiter;
import io.sluice.core.LocalEngine;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.Clock;
import io.sluice.node.gateway.spi.GatewayHandler;
import io.sluice.rules.CallerAddress;
import io.sluice.rules.Evaluator;
import io.sluice.rules.KeyForm;
import io.sluice.rules.KeySecret;
import io.sluice.rules.PathForm;
import io.sluice.rules.RefusalBody;
import io.sluice.rules.RuleDocument;
import io.sluice.rules.RuleSet;
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

/** A gateway on a real port whose forwarder answers 200 and tells what it got. */
final class GatewayUnderTest implements AutoCloseable {

    private final Vertx vertx = Vertx.vertx();
    private LocalEngine counts;
    private final AtomicInteger forwarded = new AtomicInteger();
    private final ConcurrentLinkedQueue<Integer> statuses = new ConcurrentLinkedQueue<>();
    private String rules = "rules: []";
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

    GatewayUnderTest rules(String yaml) {
        rules = yaml;
        return this;
    }

    GatewayUnderTest store(Engine engine) {
        store = Optional.of(engine);
        return this;
    }

    GatewayUnderTest clock(Clock given) {
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

    GatewayUnderTest auth(Access wanted, Authenticators given) {
        access = wanted;
        auth = given;
        return this;
    }

    GatewayUnderTest caller(CallerAddress given) {
        caller = given;
        return this;
    }

    GatewayUnderTest requestTimeout(Duration given) {
        requestTimeout = given;
        return this;
    }

    /** Instead of answering 200. */
    GatewayUnderTest forwarding(Consumer<GatewayExchange> given) {
        forwarder = (exchange, after) -> {
            forwarded.incrementAndGet();
            given.accept(exchange);
        };
        return this;
    }

    GatewayUnderTest start() throws Exception {
        RuleDocument document = RuleDocument.parse("rules.yaml", rules);
        if (document instanceof RuleDocument.Refused refused) {
            throw new IllegalArgumentException(refused.errors().toString());
        }
        counts = new LocalEngine(clock);
        RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) document).rules());
        Evaluator evaluator = new Evaluator(
                () -> set,
                new Limiter(counts, clock, List.of()),
                store.map(engine -> new Limiter(engine, clock, List.of())).orElse(null),
                new KeyForm(KeySecret.random(), KeyForm.DEFAULT_IPV6_PREFIX, Optional.empty()),
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

    int port() {
        return port;
    }

    Vertx vertx() {
        return vertx;
    }

    /** How many requests got through. */
    int forwarded() {
        return forwarded.get();
    }

    List<Integer> statuses() {
        return List.copyOf(statuses);
    }

    RepliesClient connect() throws Exception {
        return new RepliesClient(port);
    }

    /** A GET on a connection of its own. */
    RepliesClient.Reply get(String path, String... headers) throws Exception {
        return request("GET", path, "", headers);
    }

    RepliesClient.Reply request(String method, String path, String body, String... headers) throws Exception {
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
