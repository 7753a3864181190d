package io.sluice.node;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.core.LeakyBucket;
import io.sluice.core.Limit;
import io.sluice.core.TokenBucket;
import io.sluice.core.spi.Label;
import io.sluice.rules.Rule;
import io.sluice.rules.Ruling;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The JSON bodies of the decision API. Milliseconds are rounded up. */
final class Answers {

    private static final JsonFactory JSON = new JsonFactory();

    private Answers() {}

    static byte[] check(Ruling.Settled ruling) {
        return json(json -> {
            Ruling.Reported reported = ruling.reported();
            json.writeStartObject();
            json.writeBooleanField("allowed", ruling.allowed());
            Rule rule = ruling.rule();
            json.writeStringField("rule", rule == null ? null : rule.id());
            json.writeFieldName("limit");
            limit(json, reported);
            json.writeFieldName("remaining");
            number(json, reported == null ? null : reported.remaining());
            json.writeFieldName("retry_after_ms");
            number(json, reported == null && ruling.allowed() ? null : millis(ruling.retryAfter()));
            json.writeFieldName("reset_after_ms");
            number(json, reported == null ? null : millis(reported.resetAfter()));
            json.writeNumberField("wait_ms", millis(ruling.waitFor()));
            json.writeStringField("mode", ruling.mode());
            json.writeStringField("degraded", ruling.degraded());
            json.writeNumberField("rule_version", ruling.ruleVersion());
            texts(json, "matched", ruling.matched());
            texts(
                    json,
                    "shadow_refused",
                    ruling.shadowRefused().stream().map(Label::limit).toList());
            json.writeNumberField("permits", ruling.permits());
            json.writeNullField("permit");
            json.writeEndObject();
        });
    }

    static byte[] health(Health health) {
        return json(json -> {
            json.writeStartObject();
            json.writeStringField(
                    "status",
                    switch (health.phase()) {
                        case STARTING -> "starting";
                        case SERVING -> "serving";
                        case STOPPING -> "stopping";
                    });
            json.writeStringField("engine", health.engine());
            json.writeNumberField("rules", health.rules().rules().size());
            json.writeNumberField("rule_version", health.rules().version());
            json.writeStringField("degraded", health.degraded());
            json.writeEndObject();
        });
    }

    /** RFC 9457. */
    static byte[] problem(int status, String title, String detail) {
        return json(json -> {
            json.writeStartObject();
            json.writeStringField("type", "about:blank");
            json.writeStringField("title", title);
            json.writeNumberField("status", status);
            json.writeStringField("detail", detail);
            json.writeEndObject();
        });
    }

    private static void limit(JsonGenerator json, Ruling.@Nullable Reported reported) throws IOException {
        if (reported == null) {
            json.writeNull();
            return;
        }
        Limit limit = reported.limit();
        json.writeStartObject();
        json.writeStringField("id", reported.id());
        json.writeStringField("algorithm", limit.algorithm());
        json.writeNumberField("limit", limit.capacity());
        json.writeNumberField("window_ms", (limit.windowMicros() + 999) / 1_000);
        if (limit instanceof TokenBucket bucket) {
            json.writeStringField("rate", bucket.rate().toString());
        } else if (limit instanceof LeakyBucket bucket) {
            json.writeStringField("rate", bucket.rate().toString());
        }
        texts(json, "by", reported.by());
        json.writeEndObject();
    }

    private static void texts(JsonGenerator json, String name, List<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    private static void number(JsonGenerator json, @Nullable Long number) throws IOException {
        if (number == null) {
            json.writeNull();
        } else {
            json.writeNumber(number.longValue());
        }
    }

    private static @Nullable Long millis(Optional<Duration> span) {
        return span.map(Answers::millis).orElse(null);
    }

    private static long millis(Duration span) {
        return span.plusNanos(999_999).toMillis();
    }

    private static byte[] json(Body body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator json = JSON.createGenerator(bytes)) {
            body.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @FunctionalInterface
    private interface Body {
        void write(JsonGenerator json) throws IOException;
    }
}
