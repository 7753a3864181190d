package io.sluice.node.api;

import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.reserve.SettledLimit;
import java.util.List;

/**
 * The answer of {@code POST /v1/settle}. A repetition gets the same answer as the first time.
 *
 * <p>Each limit settles on its own. The status is the worst of the results: 409 if a limit was settled before with another figure, else
 * 404 if one cannot be settled, else 200. Every answer lists the result of each limit.
 *
 * @param status 200, 404 or 409
 */
record SettleAnswer(int status, List<SettledLimit> limits) {

    /** The message of 404. */
    static final String UNKNOWN =
            "reservation: unknown or too old (expected: that of a recent check; what was reserved stands)";

    private static final String CONFLICT =
            "actual: not the figure that was settled before (expected: the same figure; that one stands)";

    static SettleAnswer of(List<SettledLimit> limits) {
        int status = has(limits, Kind.CONFLICT) ? 409 : has(limits, Kind.UNKNOWN) ? 404 : 200;
        return new SettleAnswer(status, limits);
    }

    private static boolean has(List<SettledLimit> limits, Kind kind) {
        return limits.stream().anyMatch(limit -> limit.result().kind() == kind);
    }

    void send(ApiExchange exchange) {
        if (status == 200) {
            ReplySender.json(exchange, status, body());
        } else {
            ReplySender.problem(exchange, status, body());
        }
    }

    private byte[] body() {
        JsonLine json = new JsonLine().begin();
        if (status != 200) {
            json.field("type", "about:blank")
                    .field("title", ReplyJson.title(status))
                    .field("status", status)
                    .field("detail", status == 409 ? CONFLICT : UNKNOWN);
        }
        return json.list("limits", limits, limit -> write(json, limit)).end().toBytes();
    }

    private static void write(JsonLine json, SettledLimit limit) {
        SettlementResult result = limit.result();
        json.field("id", limit.limit().id())
                .field("reserved", limit.limit().reserved())
                .field("actual", limit.actual())
                .field("result", word(result.kind()))
                .field("gave_back", result.givenBack())
                .field("charged", result.charged());
    }

    private static String word(Kind kind) {
        return switch (kind) {
            case SETTLED, REPEATED -> "settled";
            case CONFLICT -> "conflict";
            case UNKNOWN -> "unknown";
        };
    }
}
