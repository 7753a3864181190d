package io.sluice.node.api;

import io.sluice.node.state.Health;
import io.sluice.node.state.NodeMetrics;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A node's answers about itself. Slow answers are prepared on a worker thread, not on the event loop. */
public final class StateRoutes {

    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    /** The time for which finished answers may stay unread. */
    private static final Duration READING_MAY_PAUSE = Duration.ofSeconds(20);

    private final Vertx vertx;
    private final Health health;
    private final NodeMetrics metrics;
    private final Duration readingMayPause;
    private final byte[] openApi;

    public StateRoutes(Vertx vertx, Health health, NodeMetrics metrics) {
        this(vertx, health, metrics, READING_MAY_PAUSE);
    }

    /** @param readingMayPause the time without reading after which the caller of a long answer is cut off */
    public StateRoutes(Vertx vertx, Health health, NodeMetrics metrics, Duration readingMayPause) {
        this.vertx = vertx;
        this.readingMayPause = readingMayPause;
        this.health = health;
        this.metrics = metrics;
        this.openApi = resource("openapi.json");
    }

    /** @param inDetail whether to send more than the status */
    void health(ApiExchange exchange, boolean inDetail) {
        ReplySender.json(
                exchange,
                health.isServing() ? 200 : 503,
                inDetail ? ReplyJson.health(health) : ReplyJson.healthStatus(health));
    }

    void metrics(ApiExchange exchange) {
        vertx.executeBlocking(() -> metrics.scrape().getBytes(StandardCharsets.UTF_8), false)
                .onSuccess(body -> ReplySender.send(exchange, 200, METRICS, body))
                .onFailure(failure -> ReplySender.failed(exchange, failure));
    }

    void rules(ApiExchange exchange) {
        RulesAnswer.send(exchange, vertx, health, readingMayPause);
    }

    void openApi(ApiExchange exchange) {
        ReplySender.send(exchange, 200, ReplySender.JSON, openApi);
    }

    private static byte[] resource(String name) {
        try (InputStream in = StateRoutes.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing from the program");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
