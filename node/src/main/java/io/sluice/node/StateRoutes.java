package io.sluice.node;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

/** What a node says about itself. What takes its time is not done on the event loop. */
final class StateRoutes {

    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    private final Vertx vertx;
    private final Health health;
    private final NodeMetrics metrics;
    private final byte[] openApi;

    StateRoutes(Vertx vertx, Health health, NodeMetrics metrics) {
        this.vertx = vertx;
        this.health = health;
        this.metrics = metrics;
        this.openApi = resource("openapi.json");
    }

    void health(Exchange exchange) {
        Replies.json(exchange, health.isServing() ? 200 : 503, Answers.health(health));
    }

    void metrics(Exchange exchange) {
        later(exchange, METRICS, metrics::scrape);
    }

    void rules(Exchange exchange) {
        later(exchange, Replies.JSON, () -> Answers.rules(health));
    }

    void openApi(Exchange exchange) {
        Replies.send(exchange, 200, Replies.JSON, openApi);
    }

    private void later(Exchange exchange, String type, Callable<String> text) {
        vertx.executeBlocking(() -> text.call().getBytes(StandardCharsets.UTF_8), false)
                .onSuccess(body -> Replies.send(exchange, 200, type, body))
                .onFailure(failure -> Replies.failed(exchange, failure));
    }

    private static byte[] resource(String name) {
        try (InputStream in = StateRoutes.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not in the program");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
