package io.sluice.node.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.core.limit.Limit;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.yaml.PrintableText;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The body of {@code POST /v1/settle}: {@code {"reservation": "…", "actual": {"<limit id>": 873}}}.
 *
 * @param reservation the text of the reservation. Error messages do not show it, because any holder of the text can settle it
 * @param actual the real figures by the id of the limit, at least one
 */
record SettleRequest(String reservation, Map<String, Long> actual) {

    private static final int MOST_FIGURES = 1_000;
    private static final String FIGURE = "a whole number, 0.." + Limit.MAX_PERMITS;

    SettleRequest {
        actual = Map.copyOf(actual);
    }

    /** Reads a body. The exception's message describes the error. */
    static SettleRequest read(byte[] body) {
        return StrictJson.read(body, json -> {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw StrictJson.refused("body", StrictJson.shown(json), "a JSON object");
            }
            String reservation = null;
            Map<String, Long> actual = null;
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                switch (field) {
                    case "reservation" -> {
                        if (value != JsonToken.VALUE_STRING) {
                            throw StrictJson.refused("reservation", "not text", "the reservation of a check's answer");
                        }
                        reservation = json.getText();
                    }
                    case "actual" -> actual = actual(json);
                    default ->
                        throw StrictJson.refused("unknown field", PrintableText.text(field), "reservation, actual");
                }
            }
            if (reservation == null) {
                throw StrictJson.refused("reservation", "missing", "the reservation of a check's answer");
            }
            if (actual == null || actual.isEmpty()) {
                throw StrictJson.refused(
                        "actual", actual == null ? "missing" : "empty", "the real figure of at least one limit");
            }
            return new SettleRequest(reservation, actual);
        });
    }

    private static Map<String, Long> actual(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw StrictJson.refused("actual", StrictJson.shown(json), "an object such as {\"chat.tokens\": 873}");
        }
        Map<String, Long> actual = new HashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String limit = json.currentName();
            json.nextToken();
            if (actual.size() == MOST_FIGURES) {
                throw StrictJson.refused("actual", "more than " + MOST_FIGURES + " limits", "1.." + MOST_FIGURES);
            }
            actual.put(limit, figure(limit, json));
        }
        return actual;
    }

    private static long figure(String limit, JsonParser json) throws IOException {
        String name = "actual." + PrintableText.text(limit);
        if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw StrictJson.refused(name, StrictJson.shown(json), FIGURE);
        }
        String text = json.getText();
        long figure = text.length() > 18 ? -1 : Long.parseLong(text);
        if (figure < 0 || figure > Limit.MAX_PERMITS) {
            throw StrictJson.refused(name, PrintableText.text(text), FIGURE);
        }
        return figure;
    }

    /**
     * Returns the figures by the whole ids of the reserved limits. A limit may be named without its rule, as the rule itself names it, if
     * no other limit of the reservation has that name. Refuses figures of other limits, and two figures for one limit.
     */
    Map<String, Long> figures(Reservation reserved) {
        Map<String, Long> figures = new HashMap<>();
        actual.forEach((name, figure) -> {
            String id = reserved.limit(name)
                    .or(() -> onlyNamed(name, reserved))
                    .orElseThrow(() -> StrictJson.refused(
                            "actual", PrintableText.text(name), "limits of the reservation: " + ids(reserved)))
                    .id();
            if (figures.put(id, figure) != null) {
                throw StrictJson.refused("actual", "two figures of " + id, "one figure for each limit");
            }
        });
        return figures;
    }

    /**
     * Adds the figures of candidates. A caller does not know that a limit has a candidate. So the candidate gets the figure of its limit,
     * unless the caller names it or it is settled by another quantity; otherwise it would count every estimate in full.
     *
     * @param named the figures by the ids of limits, see {@link #figures}
     */
    static Map<String, Long> withCandidates(Map<String, Long> named, Reservation reserved) {
        Map<String, Long> all = new HashMap<>(named);
        for (ReservedLimit candidate : reserved.limits()) {
            LimitName.replacedBy(candidate.label().rule(), candidate.id())
                    .flatMap(reserved::limit)
                    .filter(limit -> named.containsKey(limit.id()) && Objects.equals(limit.by(), candidate.by()))
                    .ifPresent(limit -> all.putIfAbsent(candidate.id(), named.get(limit.id())));
        }
        return all;
    }

    private static Optional<ReservedLimit> onlyNamed(String name, Reservation reserved) {
        List<ReservedLimit> named = reserved.limits().stream()
                .filter(limit -> limit.id().equals(limit.label().rule() + "." + name))
                .toList();
        return named.size() == 1 ? Optional.of(named.get(0)) : Optional.empty();
    }

    private static String ids(Reservation reserved) {
        return reserved.limits().stream().map(ReservedLimit::id).collect(Collectors.joining(", "));
    }
}
