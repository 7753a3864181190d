package io.sluice.node;

import io.sluice.envoy.EnvoyJson;
import io.sluice.rules.Action;
import io.sluice.rules.AnswerHeaders;
import io.sluice.rules.Evaluator;
import io.sluice.rules.Ruling;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The decision API: {@code POST /v1/check}, {@code POST /json}, {@code GET /health}, {@code GET /metrics}. Never blocks its event loop. */
final class ApiHandler implements Handler<HttpServerRequest> {

    private static final Logger LOG = LoggerFactory.getLogger(ApiHandler.class);
    private static final int LARGEST_BODY = 64 * 1024;
    private static final String JSON = "application/json";
    private static final String PROBLEM = "application/problem+json";
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";
    private static final long LINGER_MILLIS = 1_000;

    private final Vertx vertx;
    private final Evaluator evaluator;
    private final EnvoyJson envoy;
    private final Health health;
    private final NodeMetrics metrics;

    ApiHandler(Vertx vertx, Evaluator evaluator, EnvoyJson envoy, Health health, NodeMetrics metrics) {
        this.vertx = vertx;
        this.evaluator = evaluator;
        this.envoy = envoy;
        this.health = health;
        this.metrics = metrics;
    }

    @Override
    public void handle(HttpServerRequest request) {
        try {
            route(request);
        } catch (RuntimeException e) {
            failed(request, e);
        }
    }

    private void route(HttpServerRequest request) {
        @Nullable String path = request.path();
        if ("/v1/check".equals(path)) {
            if (only(request, List.of(HttpMethod.POST))) {
                readBody(request, this::check);
            }
        } else if ("/json".equals(path)) {
            if (only(request, List.of(HttpMethod.POST))) {
                readBody(request, this::json);
            }
        } else if ("/health".equals(path)) {
            if (only(request, List.of(HttpMethod.GET, HttpMethod.HEAD))) {
                send(request, health.isServing() ? 200 : 503, JSON, Answers.health(health));
            }
        } else if ("/metrics".equals(path)) {
            if (only(request, List.of(HttpMethod.GET, HttpMethod.HEAD))) {
                vertx.executeBlocking(metrics::scrape, false)
                        .onSuccess(text ->
                                send(request, 200, METRICS, Buffer.buffer(text).getBytes()))
                        .onFailure(failure -> failed(request, failure));
            }
        } else {
            problem(request, 404, "Not Found", "path: not served here (expected: /v1/check, /json, /health, /metrics)");
        }
    }

    private static boolean only(HttpServerRequest request, List<HttpMethod> methods) {
        if (methods.contains(request.method())) {
            return true;
        }
        String names = String.join(", ", methods.stream().map(HttpMethod::name).toList());
        request.response().putHeader("Allow", names);
        problem(request, 405, "Method Not Allowed", "method: not served here (expected: " + names + ")");
        return false;
    }

    private void readBody(HttpServerRequest request, BiConsumer<HttpServerRequest, byte[]> then) {
        Buffer body = Buffer.buffer();
        request.handler(chunk -> {
            if (request.response().ended()) {
                return;
            }
            if (body.length() + chunk.length() > LARGEST_BODY) {
                tooLarge(request);
            } else {
                body.appendBuffer(chunk);
            }
        });
        request.endHandler(end -> {
            if (!request.response().ended()) {
                then.accept(request, body.getBytes());
            }
        });
    }

    /**
     * What is still under way is read and dropped for a moment: to close at once could take the answer with it. Other
     * requests share an HTTP/2 connection, so that one stays.
     */
    private void tooLarge(HttpServerRequest request) {
        boolean ownConnection = request.version() != HttpVersion.HTTP_2;
        if (ownConnection) {
            request.response().putHeader("Connection", "close");
        }
        problem(request, 413, "Content Too Large", "body: too large (expected: at most " + LARGEST_BODY + " bytes)");
        if (ownConnection) {
            vertx.setTimer(LINGER_MILLIS, timer -> request.connection().close());
        }
    }

    private void check(HttpServerRequest request, byte[] body) {
        CheckRequest check;
        try {
            check = CheckRequest.read(body);
        } catch (IllegalArgumentException e) {
            problem(request, 400, "Bad Request", String.valueOf(e.getMessage()));
            return;
        }
        Context context = vertx.getOrCreateContext();
        try {
            evaluator.evaluate(check.attributes(), check.permits()).whenComplete((ruling, failure) -> {
                if (Vertx.currentContext() == context) {
                    answer(request, ruling, failure);
                } else {
                    context.runOnContext(back -> answer(request, ruling, failure));
                }
            });
        } catch (RuntimeException e) {
            failed(request, e);
        }
    }

    private void json(HttpServerRequest request, byte[] body) {
        Context context = vertx.getOrCreateContext();
        envoy.answer(body)
                .whenComplete((answer, failure) -> context.runOnContext(back -> {
                    if (answer == null) {
                        failed(request, failure);
                    } else {
                        byte[] text = answer.body().getBytes(StandardCharsets.UTF_8);
                        send(request, answer.status(), answer.contentType(), text);
                    }
                }));
    }

    private static void answer(HttpServerRequest request, @Nullable Ruling ruling, @Nullable Throwable failure) {
        if (ruling instanceof Ruling.Settled settled) {
            HttpServerResponse response = request.response();
            AnswerHeaders.of(settled).forEach(response::putHeader);
            send(request, status(settled), JSON, Answers.check(settled));
        } else if (ruling instanceof Ruling.Impossible impossible) {
            String detail = "permits: " + impossible.permits() + " (expected: at most " + impossible.capacity()
                    + ", all that limit " + impossible.limit() + " can hold)";
            problem(request, 400, "Bad Request", detail);
        } else {
            failed(request, failure);
        }
    }

    private static int status(Ruling.Settled ruling) {
        if (ruling.allowed() || ruling.looked()) {
            return 200;
        }
        return ruling.action() == Action.DENY ? 403 : 429;
    }

    private static void failed(HttpServerRequest request, @Nullable Throwable failure) {
        LOG.error("a request failed", failure);
        if (!request.response().ended()) {
            problem(request, 500, "Internal Server Error", "the node failed to answer; its log says why");
        }
    }

    private static void problem(HttpServerRequest request, int status, String title, String detail) {
        send(request, status, PROBLEM, Answers.problem(status, title, detail));
    }

    private static void send(HttpServerRequest request, int status, String type, byte[] body) {
        HttpServerResponse response = request.response();
        if (!response.closed()) {
            response.setStatusCode(status).putHeader("Content-Type", type).end(Buffer.buffer(body));
        }
    }
}
