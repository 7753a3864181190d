package io.sluice.node.api;

import io.sluice.node.state.Health;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.ShownRules;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the rules in force piece by piece, because whole documents for many callers would not fit into memory. The next piece is made
 * only when the caller has read enough of the earlier ones. All pieces are from the same rule set, even if the rules change meanwhile.
 * Used by the request's event loop; the pieces are made on a worker thread.
 */
final class RulesAnswer {

    private static final Logger LOG = LoggerFactory.getLogger(RulesAnswer.class);

    /** A piece ends after the rule that reaches this length. */
    private static final int PIECE = 64 * 1024;

    /** The memory that an answer reserves while it lasts: a piece that is being made, and the pieces that the caller has not read yet. */
    static final int RESERVED = 3 * PIECE;

    private final ApiExchange exchange;
    private final Vertx vertx;
    private final RuleSet rules;
    private final boolean kept;
    private final Map<String, Object> adjustments;
    private final Duration readingMayPause;
    private int next;
    private boolean begun;

    private RulesAnswer(ApiExchange exchange, Vertx vertx, Health health, Duration readingMayPause) {
        this.exchange = exchange;
        this.vertx = vertx;
        this.readingMayPause = readingMayPause;
        this.rules = health.rules();
        this.kept = health.hasKeptRules();
        this.adjustments = health.adjustments();
    }

    /**
     * Answers if there is room for one more answer; otherwise the exchange refuses the request.
     *
     * @param readingMayPause the time without reading after which a caller is cut off, because its answer takes the place of others
     */
    static void send(ApiExchange exchange, Vertx vertx, Health health, Duration readingMayPause) {
        if (!exchange.isOpen() || !exchange.hold(RESERVED)) {
            return;
        }
        exchange.response().putHeader(HttpHeaders.CONTENT_TYPE, ReplySender.JSON);
        if (exchange.request().method().equals(HttpMethod.HEAD)) {
            exchange.send();
            return;
        }
        exchange.response().setChunked(true);
        new RulesAnswer(exchange, vertx, health, readingMayPause).writeNext();
    }

    private void writeNext() {
        vertx.executeBlocking(this::piece, false).onSuccess(this::write).onFailure(this::failed);
    }

    private void write(Buffer piece) {
        if (!exchange.isOpen()) {
            return;
        }
        exchange.response().write(piece);
        begun = true;
        if (next > rules.rules().size()) {
            exchange.send();
        } else if (exchange.response().writeQueueFull()) {
            long late = vertx.setTimer(readingMayPause.toMillis(), timer -> exchange.cutOff());
            exchange.response().drainHandler(drained -> {
                vertx.cancelTimer(late);
                exchange.response().drainHandler(null);
                writeNext();
            });
        } else {
            writeNext();
        }
    }

    /** Returns the next piece of the document. After the last one, {@code next} is beyond the rules. */
    private Buffer piece() {
        StringBuilder text = new StringBuilder(PIECE + 1_024);
        if (next == 0) {
            text.append("{\"version\":").append(rules.version());
            text.append(",\"digest\":\"").append(rules.digest());
            text.append("\",\"kept\":").append(kept);
            text.append(",\"trial\":").append(JsonLine.of(ShownRules.trial(rules)));
            text.append(",\"adjustments\":").append(JsonLine.of(adjustments));
            text.append(",\"rules\":[");
        }
        int count = rules.rules().size();
        for (; next < count && text.length() < PIECE; next++) {
            text.append(next == 0 ? "\n" : ",\n")
                    .append(RuleJson.rule(rules.rules().get(next)));
        }
        if (next == count) {
            text.append("]}");
            next++;
        }
        return Buffer.buffer(text.toString());
    }

    /** A caller that already has a part must not mistake it for the whole answer. */
    private void failed(Throwable failure) {
        if (!begun) {
            ReplySender.failed(exchange, failure);
            return;
        }
        LOG.error("could not write all rules; the answer was cut off", failure);
        exchange.cutOff();
    }
}
