package io.sluice.http.answer;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Label;
import io.sluice.rules.evaluate.Explanation;
import io.sluice.rules.evaluate.Explanation.Standing;
import io.sluice.rules.evaluate.Permit;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.model.Rule;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.yaml.DocumentError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes rulings and explanations as JSON, the same for every entry point. Milliseconds are rounded up. */
public final class AnswerJson {

    private AnswerJson() {}

    /**
     * Returns the body of {@code POST /v1/check}.
     *
     * @param permits returns the text of a permit
     */
    public static String check(Ruling.Settled ruling, Function<Permit, String> permits) {
        return line(ruling, permits).toString();
    }

    /**
     * Returns the body of {@code POST /v1/check} in UTF-8.
     *
     * @param permits returns the text of a permit
     */
    public static byte[] checkBytes(Ruling.Settled ruling, Function<Permit, String> permits) {
        return line(ruling, permits).toBytes();
    }

    /**
     * Returns the body of {@code POST /v1/check} with {@code reserve} in UTF-8.
     *
     * @param permits returns the text of a permit
     * @param reservations returns the text of a reservation, or null if it has none
     */
    public static byte[] checkBytes(
            Ruling.Settled ruling,
            Function<Permit, String> permits,
            Function<Reservation, @Nullable String> reservations) {
        return reserving(ruling, permits, reservations).toBytes();
    }

    /** Returns the body of {@code POST /v1/check} with {@code reserve}. */
    public static String check(
            Ruling.Settled ruling,
            Function<Permit, String> permits,
            Function<Reservation, @Nullable String> reservations) {
        return reserving(ruling, permits, reservations).toString();
    }

    private static JsonLine reserving(
            Ruling.Settled ruling,
            Function<Permit, String> permits,
            Function<Reservation, @Nullable String> reservations) {
        JsonLine json = new JsonLine().begin();
        write(json, ruling, permits);
        Reservation reservation = ruling.reservation();
        return json.field("reservation", reservation == null ? null : reservations.apply(reservation))
                .end();
    }

    private static JsonLine line(Ruling.Settled ruling, Function<Permit, String> permits) {
        JsonLine json = new JsonLine().begin();
        write(json, ruling, permits);
        return json.end();
    }

    /** Returns the body of {@code POST /v1/explain}, or empty if the request asks for more than a limit can ever hold. */
    public static Optional<String> explain(Explanation explanation) {
        if (!(explanation.ruling() instanceof Ruling.Settled ruling)) {
            return Optional.empty();
        }
        JsonLine json = new JsonLine().begin();
        write(json, ruling, Permit::text);
        json.list("limits", explanation.limits(), standing -> write(json, standing));
        return Optional.of(json.end().toString());
    }

    /** Returns the output of {@code ./sluice lint --json}. */
    public static String lint(List<DocumentError> errors, List<DocumentError> warnings, int rules) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("rules", rules);
        all.put("errors", located(errors));
        all.put("warnings", located(warnings));
        return JsonLine.of(all);
    }

    private static List<Object> located(List<DocumentError> errors) {
        List<Object> list = new ArrayList<>();
        for (DocumentError error : errors) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("file", error.file());
            fields.put("line", error.line());
            fields.put("column", error.column());
            fields.put("message", error.message());
            list.add(fields);
        }
        return list;
    }

    private static void write(JsonLine json, Ruling.Settled ruling, Function<Permit, String> permits) {
        Rule rule = ruling.rule();
        Ruling.Reported reported = ruling.reported();
        json.field("allowed", ruling.allowed()).field("rule", rule == null ? null : rule.id());
        if (reported == null) {
            json.nothing("limit").nothing("remaining");
        } else {
            json.begin("limit");
            write(json, reported.id(), reported.limit(), reported.by());
            json.end().field("remaining", reported.remaining());
        }
        Permit permit = ruling.permit();
        json.field("retry_after_ms", reported == null && ruling.allowed() ? null : millis(ruling.retryAfter()))
                .field("reset_after_ms", reported == null ? null : millis(reported.resetAfter()))
                .field("wait_ms", millis(ruling.waitFor()))
                .field("mode", ruling.mode())
                .field("degraded", ruling.degraded())
                .field("rule_version", ruling.ruleVersion())
                .field("matched", ruling.matched())
                .field("shadow_refused", ids(ruling.shadowRefused()))
                .field("permits", ruling.permits())
                .field("permit", permit == null ? null : permits.apply(permit));
        if (ruling.keptForOthers()) {
            json.field("kept_for_others", true);
        }
    }

    private static void write(JsonLine json, Standing standing) {
        write(json, standing.id(), standing.limit(), standing.by());
        json.field("rule", standing.rule())
                .field("level", standing.level().word())
                .field("key", standing.key());
        standing.hash().ifPresent(hash -> json.field("hash", hash));
        json.field("used", standing.used())
                .field("remaining", standing.remaining())
                .field("retry_after_ms", millis(standing.retryAfter()))
                .field("reset_after_ms", millis(standing.resetAfter()))
                .field("would_allow", standing.wouldAllow())
                .field("shadow", standing.shadow())
                .field("override", standing.overridden());
    }

    private static void write(JsonLine json, String id, Limit limit, List<String> by) {
        json.field("id", id)
                .field("algorithm", limit.algorithm())
                .field("limit", limit.capacity())
                .field("window_ms", (limit.windowMicros() + 999) / 1_000);
        Rate rate = limit.rate();
        if (rate != null) {
            json.field("rate", rate.toString());
        }
        json.field("by", by);
    }

    private static List<String> ids(List<Label> limits) {
        return limits.isEmpty() ? List.of() : limits.stream().map(Label::limit).toList();
    }

    private static long millis(Duration span) {
        return Math.addExact(Math.multiplyExact(span.getSeconds(), 1_000L), (span.getNano() + 999_999) / 1_000_000);
    }

    private static @Nullable Long millis(Optional<Duration> span) {
        return span.isPresent() ? (Long) millis(span.get()) : null;
    }
}
