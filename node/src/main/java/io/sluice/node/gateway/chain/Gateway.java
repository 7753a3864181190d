package io.sluice.node.gateway.chain;

import io.sluice.core.time.Clock;
import io.sluice.http.answer.RefusalBody;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.http.trace.TraceParent;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.exchange.GatewayExchange.Parsed;
import io.sluice.node.gateway.exchange.GatewayProblem;
import io.sluice.node.gateway.exchange.IncomingBody;
import io.sluice.node.gateway.proxy.Forwarder;
import io.sluice.node.gateway.route.Route;
import io.sluice.node.gateway.spi.GatewayHandler;
import io.sluice.node.gateway.spi.Phase;
import io.sluice.node.trace.RequestTrace;
import io.sluice.node.trace.Tracing;
import io.sluice.rules.evaluate.Evaluator;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * The chain that every request passes: it is parsed, limited by early rules, authenticated, limited by all others, forwarded and
 * answered, with the users' handlers in between. Thread-safe. A request stays on its own event loop, whichever thread completes the
 * stages for which it waits.
 */
public final class Gateway {

    private static final Duration SETTLEMENT_FAILURES_EVERY = Duration.ofMinutes(1);

    private final Supplier<GatewayState> states;
    private final HandlerChain handlers;
    private final EarlyStep early;
    private final AuthStep auth;
    private final LimitStep limits;
    private final GatewayListener listener;
    private final Tracing tracing;
    private final FailureLog failures;
    private final Clock clock;
    private final Vertx vertx;

    Gateway(
            Supplier<GatewayState> states,
            Evaluator evaluator,
            List<GatewayHandler> handlers,
            boolean xRateLimitHeaders,
            Clock clock,
            Vertx vertx) {
        this(
                states,
                evaluator,
                new Extensions(handlers, RefusalBody.PROBLEM),
                xRateLimitHeaders,
                GatewayListener.NONE,
                Tracing.UNRECORDED,
                Level.ERROR,
                clock,
                vertx);
    }

    /**
     * Creates a chain.
     *
     * @param states returns the current routes and authentication; called once per request
     * @param xRateLimitHeaders whether answers also carry the older {@code X-RateLimit} headers
     * @param failuresAt the log level of failures of the gateway or of a handler
     */
    public Gateway(
            Supplier<GatewayState> states,
            Evaluator evaluator,
            Extensions extensions,
            boolean xRateLimitHeaders,
            GatewayListener listener,
            Tracing tracing,
            Level failuresAt,
            Clock clock,
            Vertx vertx) {
        this.states = states;
        this.failures = new FailureLog(clock, failuresAt);
        this.handlers = new HandlerChain(extensions.handlers(), vertx, failures);
        this.auth = new AuthStep(failures);
        this.limits = new LimitStep(
                evaluator,
                extensions.refusals(),
                xRateLimitHeaders,
                vertx,
                failures,
                new FailureLog(clock, failuresAt, SETTLEMENT_FAILURES_EVERY),
                new BodyStep(vertx));
        this.early = new EarlyStep(evaluator, limits, failures);
        this.listener = listener;
        this.tracing = tracing;
        this.clock = clock;
        this.vertx = vertx;
    }

    /** Handles a request whose head has arrived. Called on its event loop. */
    public void handle(HttpServerRequest request, Forwarder forwarder) {
        long start = clock.nanoTime();
        GatewayState state = states.get();
        IncomingBody incoming = new IncomingBody(request);
        try {
            Parsed parsed = RequestParser.parse(request, state);
            List<String> others = state.paths().otherReadings(parsed.target().sentPath());
            Optional<Route> route = state.routes().find(parsed.host(), parsed.path(), others);
            RequestTrace trace = tracing.forwarded(parent(request));
            GatewayExchange exchange = new GatewayExchange(incoming, parsed, route.orElse(null), trace);
            exchange.whenOver(() -> over(exchange, route, clock.nanoTime() - start));
            pass(new ChainRun(exchange, state, vertx.getOrCreateContext(), failures), forwarder);
        } catch (RefusedRequestException e) {
            GatewayProblem.answer(request, e.status(), e.detail());
            listener.answered(Optional.empty(), e.status(), clock.nanoTime() - start);
        }
    }

    /** Returns null if there is no header, more than one, or an invalid one. */
    private static @Nullable TraceParent parent(HttpServerRequest request) {
        return request.headers().contains(TraceParent.HEADER)
                ? TraceParent.read(request.headers().getAll(TraceParent.HEADER))
                : null;
    }

    private void over(GatewayExchange exchange, Optional<Route> route, long nanos) {
        int status = status(exchange);
        listener.answered(route, status, nanos);
        RequestTrace trace = exchange.trace();
        if (trace.recorded()) {
            String name = route.map(Route::name).orElse("");
            tracing.answered(trace, exchange.parsed().method(), name, status, nanos);
        }
    }

    private void pass(ChainRun run, Forwarder forwarder) {
        run.guarded(() -> early.decide(run, () -> {
            if (run.exchange().hasRoute()) {
                routed(run, forwarder);
            } else {
                GatewayProblem.answer(run.exchange(), 404, "route: none for this host and path");
            }
        }));
    }

    private void routed(ChainRun run, Forwarder forwarder) {
        handlers.walk(
                Phase.PARSED,
                run,
                () -> auth.authenticate(
                        run,
                        () -> handlers.walk(
                                Phase.AUTHENTICATED,
                                run,
                                () -> limits.limit(
                                        run, () -> handlers.walk(Phase.BEFORE, run, () -> forward(run, forwarder))))));
    }

    private void forward(ChainRun run, Forwarder forwarder) {
        run.guarded(() -> forwarder.forward(run.exchange(), new Answering(run)));
    }

    /** Takes the answer of an upstream. */
    private final class Answering implements Forwarder.AnswerStep {

        private final ChainRun run;
        private long sentNanos;
        private boolean sent;

        Answering(ChainRun run) {
            this.run = run;
        }

        @Override
        public void sent(GatewayExchange exchange) {
            sentNanos = clock.nanoTime();
            sent = true;
            AnswerSettlement settlement = run.settlement();
            if (settlement != null) {
                settlement.sent();
            }
        }

        @Override
        public void unseen(GatewayExchange exchange) {
            AnswerSettlement settlement = run.settlement();
            if (settlement != null) {
                settlement.unseen();
            }
        }

        @Override
        public Forwarder.@Nullable AnswerWatch watch(GatewayExchange exchange, int status, MultiMap headers) {
            AnswerSettlement settlement = run.settlement();
            return settlement == null ? null : settlement.watch(status, headers);
        }

        @Override
        public void heard(GatewayExchange exchange, int status) {
            long nanos = sent ? clock.nanoTime() - sentNanos : 0;
            listener.heard(run.ruling(), status, nanos);
            if (sent && exchange.trace().recorded()) {
                String service = exchange.route().service().orElse("");
                tracing.heard(exchange.trace(), exchange.parsed().method(), service, status, nanos);
            }
        }

        @Override
        public void answered(GatewayExchange exchange, int status, Runnable then) {
            run.answered(status);
            handlers.walk(Phase.AFTER, run, then);
        }
    }

    /** Returns the status of the answer, or {@link GatewayListener#LEFT} if it has not started. */
    static int status(GatewayExchange exchange) {
        HttpServerResponse response = exchange.response();
        return response.headWritten() ? response.getStatusCode() : GatewayListener.LEFT;
    }
}
