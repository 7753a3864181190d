package io.sluice.node.gateway.proxy;

import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.exchange.GatewayProblem;
import io.sluice.node.gateway.route.Route;
import io.sluice.node.gateway.route.UpstreamGroup.Turn;
import io.sluice.node.transport.Lingering;
import io.vertx.core.AsyncResult;
import io.vertx.core.MultiMap;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.net.NetSocket;
import java.net.ConnectException;
import java.net.URI;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way to an upstream and back. Used only by its event loop.
 *
 * <p>It ends once: when the answer has been returned completely, or when one side has left and the other has been notified. A request goes
 * to another upstream only if the first cannot have seen any byte of it: there was no connection, or the stream was refused unseen.
 */
final class Forwarding extends Deadlines.Timed {

    /** RFC 9113, section 7. */
    private static final long INTERNAL_ERROR = 0x2;

    private static final long REFUSED_STREAM = 0x7;
    private static final long CANCEL = 0x8;

    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int NO_ANSWER = 0;
    private static final int MOST_HINTS = 16;

    private final HttpForwarder home;
    private final GatewayExchange exchange;
    private final Forwarder.AnswerStep after;
    private final RequestBody body;
    private final long length;
    private final boolean upgrade;
    private final Set<URI> tried = new HashSet<>(2);
    private final long requestTicks;
    private final long idleTicks;
    private final long began;
    private long active;
    private int hints;
    private @Nullable Turn turn;
    private @Nullable HttpClientRequest upstream;
    private @Nullable HttpClientResponse answer;
    private @Nullable Throwable whyNot;
    private boolean upstreamDone;
    private boolean answered;
    private boolean finished;

    Forwarding(HttpForwarder home, GatewayExchange exchange, Forwarder.AnswerStep after) {
        Route route = exchange.route();
        this.home = home;
        this.exchange = exchange;
        this.after = after;
        this.length = Framing.of(exchange.request());
        this.upgrade = Tunnel.isAskedFor(exchange.request(), length);
        this.body = new RequestBody(this, exchange, length);
        this.requestTicks = Deadlines.ticks(route.requestTimeout());
        this.idleTicks = Deadlines.ticks(route.idleTimeout());
        this.began = home.deadlines().now();
        this.active = began;
    }

    void begin() {
        if (length == Framing.DOUBTFUL) {
            GatewayProblem.answer(exchange, 400, "body: its length is ambiguous");
        } else if (length > exchange.route().largestBody()) {
            GatewayProblem.answer(
                    exchange,
                    413,
                    "body: too large (expected: at most " + exchange.route().largestBody() + " bytes)");
        } else {
            home.deadlines().add(this);
            exchange.whenOver(this::callerOver);
            next();
        }
    }

    boolean isFinished() {
        return finished;
    }

    /** Returns whether the end of the answer has been written to the caller's connection. */
    boolean isAnswered() {
        return answered;
    }

    /** Called when the end of the answer is being written to the caller's connection. */
    void answered() {
        answered = true;
    }

    /** Called when the end of the answer has arrived from the upstream. */
    void upstreamDone() {
        upstreamDone = true;
    }

    /** Called when bytes have moved in either direction. */
    void moved() {
        active = home.deadlines().now();
    }

    /** Runs a task when the event loop has finished its current one. */
    void later(Runnable action) {
        home.context().runOnContext(now -> action.run());
    }

    @Override
    public void tick(long now) {
        if (answer == null) {
            if (now - began > requestTicks) {
                timedOut();
            }
        } else if (now - active > idleTicks) {
            boolean whole = answered;
            abandon();
            if (!whole) {
                notWhole(504, "upstream: silent for too long");
            }
        }
    }

    private void next() {
        if (finished) {
            return;
        }
        Optional<Turn> free = exchange.route().upstreams().next(tried);
        if (free.isEmpty()) {
            finish();
            after.heard(exchange, NO_ANSWER);
            noUpstream();
            return;
        }
        Turn mine = free.get();
        turn = mine;
        home.request(mine, exchange.parsed(), upgrade).onComplete(connected -> connected(mine, connected));
    }

    private void connected(Turn mine, AsyncResult<HttpClientRequest> connected) {
        if (finished) {
            if (connected.succeeded()) {
                connected.result().exceptionHandler(told -> {}).reset(CANCEL);
            }
        } else if (connected.succeeded()) {
            send(connected.result());
        } else if (connected.cause() instanceof ConnectionPoolTooBusyException) {
            mine.abandoned();
            finish();
            after.heard(exchange, NO_ANSWER);
            GatewayProblem.answer(
                    exchange, 503, "upstream: too many requests are waiting for it (expected: try again later)");
        } else {
            tryAnother(mine, connected.cause());
        }
    }

    private void tryAnother(Turn mine, Throwable why) {
        whyNot = why;
        mine.failed(why);
        mine.over();
        turn = null;
        upstream = null;
        tried.add(mine.origin());
        next();
    }

    private void noUpstream() {
        if (whyNot == null) {
            GatewayProblem.answer(exchange, 503, "upstream: none is healthy (expected: try again later)");
        } else if (isTimeout(whyNot)) {
            GatewayProblem.answer(exchange, 504, "upstream: no connection in time");
        } else {
            GatewayProblem.answer(exchange, 502, "upstream: no connection");
        }
    }

    private void send(HttpClientRequest to) {
        upstream = to;
        to.exceptionHandler(told -> {}); // its answer also fails
        try {
            RequestHead.write(exchange, to, length, upgrade);
        } catch (IllegalArgumentException unwritable) {
            refuse(400, "headers: cannot be forwarded");
            return;
        }
        after.sent(exchange);
        if (exchange.request().version() != HttpVersion.HTTP_1_0) {
            to.earlyHintsHandler(this::hinted);
            if (exchange.request().headers().contains("expect")) {
                to.continueHandler(go -> tellToContinue());
            }
        }
        if (upgrade) {
            to.connect().onComplete(this::headCame);
        } else {
            to.response().onComplete(this::headCame);
            body.sendTo(to);
        }
    }

    private void tellToContinue() {
        if (!finished && answer == null && !exchange.incoming().isContinued() && exchange.isOpen()) {
            exchange.incoming().continued();
            exchange.response().writeContinue();
        }
    }

    private void hinted(MultiMap headers) {
        if (!finished && answer == null && ++hints <= MOST_HINTS && exchange.isOpen()) {
            exchange.response().writeEarlyHints(AnswerHead.hints(headers));
        }
    }

    private void headCame(AsyncResult<HttpClientResponse> head) {
        if (finished) {
            return;
        }
        Turn mine = turn();
        if (head.failed()) {
            noAnswer(mine, head.cause());
            return;
        }
        HttpClientResponse response = head.result().pause().exceptionHandler(this::broken);
        int status = response.statusCode();
        boolean asked = upgrade && status == SWITCHING_PROTOCOLS && Tunnel.isGranted(response);
        if ((status < 200 && !asked) || AnswerHead.length(response) == Framing.DOUBTFUL) {
            mine.failed(new IllegalStateException("status " + status + " or length not understood"));
            abandon();
            after.heard(exchange, NO_ANSWER);
            GatewayProblem.answer(exchange, 502, "upstream: invalid answer");
            return;
        }
        answer = response;
        moved();
        mine.answered(status);
        after.heard(exchange, status);
        after.answered(exchange, status, this::sendBack);
    }

    private void noAnswer(Turn mine, Throwable why) {
        boolean unseen = why instanceof StreamResetException reset && reset.getCode() == REFUSED_STREAM;
        if (unseen) {
            after.unseen(exchange);
        }
        if (unseen && body.isRepeatable()) {
            tryAnother(mine, why);
        } else {
            mine.failed(why);
            abandon();
            after.heard(exchange, NO_ANSWER);
            GatewayProblem.answer(exchange, 502, "upstream: no answer");
        }
    }

    private void sendBack() {
        if (finished || answer == null || !exchange.isOpen()) {
            return;
        }
        if (answer.statusCode() == SWITCHING_PROTOCOLS) {
            openTunnel(answer);
            return;
        }
        long bytes = AnswerHead.length(answer);
        try {
            AnswerHead.write(exchange, answer, bytes);
        } catch (IllegalArgumentException unwritable) {
            broken(unwritable);
            return;
        }
        Forwarder.AnswerWatch watch = after.watch(exchange, answer.statusCode(), answer.headers());
        new AnswerBody(this, exchange.request(), answer, bytes, watch).send();
    }

    private void openTunnel(HttpClientResponse from) {
        HttpServerRequest request = exchange.request();
        AnswerHead.writeUpgrade(exchange, from);
        NetSocket there = from.netSocket();
        Turn mine = turn();
        Runnable over = () -> {
            mine.over();
            exchange.end();
        };
        answered = true;
        finished = true;
        home.deadlines().remove(this);
        home.tunnelled(request.connection());
        request.resume();
        request.toNetSocket().onComplete(here -> {
            if (here.succeeded()) {
                new Tunnel(home.deadlines(), idleTicks, here.result(), there, over).open();
            } else {
                there.close();
                over.run();
            }
        });
    }

    /** Drops the rest of the request once the answer has been forwarded completely. */
    void settle() {
        if (finished || !answered || !upstreamDone || upstream == null) {
            return;
        }
        boolean unsent = !upgrade && !body.isSent();
        if (unsent || upgrade) {
            // A connection whose request has not ended cannot serve another request.
            if (upstream.version() == HttpVersion.HTTP_2) {
                upstream.reset(CANCEL);
            } else {
                upstream.connection().close();
            }
        }
        finish();
        if (unsent) {
            Lingering.on(exchange.request(), Lingering.MOMENT, true);
        }
    }

    /** Called when the upstream fails in the middle of its answer. The caller must not take the answer for complete. */
    void broken(Throwable why) {
        if (!finished) {
            boolean whole = answered;
            abandon();
            if (!whole) {
                notWhole(502, "upstream: its answer broke off");
            }
        }
    }

    /** Refuses a request because of its body. */
    void refuse(int status, String detail) {
        if (answer == null) {
            turn().abandoned();
        }
        abandon();
        notWhole(status, detail);
    }

    private void timedOut() {
        boolean slowCaller = body.waitsForCaller();
        if (turn != null && slowCaller) {
            turn.abandoned();
        } else if (turn != null) {
            turn.failed(new TimeoutException("no answer in time"));
        }
        abandon();
        if (slowCaller) {
            GatewayProblem.answer(exchange, 408, "body: too slow (expected: complete in time)");
        } else {
            after.heard(exchange, NO_ANSWER);
            GatewayProblem.answer(exchange, 504, "upstream: no answer in time");
        }
    }

    private void notWhole(int status, String detail) {
        HttpServerResponse response = exchange.response();
        if (!exchange.isOpen()) {
            return;
        }
        if (response.headWritten()) {
            // An HTTP/1.1 request ends with its connection, which closes only after everything is written; the caller
            // may not read.
            if (exchange.request().version() == HttpVersion.HTTP_2) {
                response.reset(INTERNAL_ERROR);
            } else {
                home.cut(exchange.request().connection());
            }
        } else {
            response.headers().clear();
            GatewayProblem.answer(exchange, status, detail);
        }
    }

    /** Called when the caller left, or the gateway answered instead of the upstream. */
    private void callerOver() {
        if (!finished && !answered) {
            if (turn != null && answer == null) {
                turn.abandoned();
            }
            abandon();
        }
    }

    /** Ends the upstream request. An upstream that has answered completely keeps its connection. */
    private void abandon() {
        finish();
        if (upstream != null && !upstreamDone) {
            upstream.reset(CANCEL);
        }
    }

    private void finish() {
        finished = true;
        home.deadlines().remove(this);
        if (turn != null) {
            turn.over();
        }
    }

    private static boolean isTimeout(Throwable why) {
        return why instanceof TimeoutException
                || (why instanceof ConnectException
                        && String.valueOf(why.getMessage()).contains("timed out"));
    }

    private Turn turn() {
        if (turn == null) {
            throw new IllegalStateException("no upstream yet");
        }
        return turn;
    }
}
