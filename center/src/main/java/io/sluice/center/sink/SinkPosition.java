package io.sluice.center.sink;

import io.sluice.center.sink.SinkMessage.Dropped;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The position of a sink in the log. Immutable.
 *
 * @param log the id of the log; empty until the first row was sent
 * @param sent the last row that was sent or dropped
 * @param untold dropped rows that the sink does not report yet
 * @param dropped the number of rows that were ever dropped
 */
record SinkPosition(String log, long sent, Optional<Dropped> untold, long dropped) {

    static final SinkPosition START = new SinkPosition("", 0, Optional.empty(), 0);

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Returns the position after rows were sent. */
    SinkPosition sent(String ofLog, long last) {
        return new SinkPosition(ofLog, last, Optional.empty(), dropped);
    }

    /** Returns the position after rows were dropped. */
    SinkPosition dropped(String ofLog, Dropped rows) {
        long first = untold.map(Dropped::first).orElse(rows.first());
        return new SinkPosition(
                ofLog,
                rows.last(),
                Optional.of(new Dropped(Math.min(first, rows.first()), rows.last())),
                dropped + rows.count());
    }

    /** Returns the position in a log that replaced another one, or that went back to an older state. */
    SinkPosition at(String ofLog, long number) {
        return new SinkPosition(ofLog, number, Optional.empty(), dropped);
    }

    String toJson(String sink) {
        ObjectNode json = JSON.createObjectNode()
                .put("sink", sink)
                .put("log", log)
                .put("sent", sent)
                .put("dropped", dropped);
        untold.ifPresent(rows -> json.put("untold_first", rows.first()).put("untold_last", rows.last()));
        return JSON.writeValueAsString(json) + "\n";
    }

    /** Reads what {@link #toJson} returns; empty if the text is anything else. */
    static Optional<SinkPosition> parse(String text) {
        try {
            JsonNode json = JSON.readTree(text);
            if (!json.path("sent").isIntegralNumber() || !json.path("log").isString()) {
                return Optional.empty();
            }
            long first = json.path("untold_first").asLong(0);
            return Optional.of(new SinkPosition(
                    json.get("log").asString(),
                    json.get("sent").asLong(),
                    first == 0
                            ? Optional.empty()
                            : Optional.of(
                                    new Dropped(first, json.path("untold_last").asLong(first))),
                    json.path("dropped").asLong(0)));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }
}
