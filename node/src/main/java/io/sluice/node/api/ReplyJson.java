package io.sluice.node.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.node.state.Health;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;

/** The JSON bodies of the api port. */
final class ReplyJson {

    private static final JsonFactory JSON = new JsonFactory();

    private ReplyJson() {}

    /** Returns 200 if the request was allowed or the caller only looked, otherwise 403 or 429. */
    static int status(Ruling.Settled ruling) {
        if (ruling.allowed() || ruling.looked()) {
            return 200;
        }
        return ruling.action() == Action.DENY ? 403 : 429;
    }

    static String impossible(Ruling.Impossible impossible) {
        return "permits: " + impossible.permits() + " (expected: at most " + impossible.capacity()
                + ", the capacity of limit " + impossible.limit() + ")";
    }

    static String health(Health health) {
        RuleSet rules = health.rules();
        return json(json -> {
            json.writeStartObject();
            json.writeStringField("status", status(health));
            json.writeStringField("engine", health.engine());
            json.writeNumberField("rules", rules.rules().size());
            json.writeNumberField("rule_version", rules.version());
            json.writeStringField("rule_digest", rules.digest());
            json.writeBooleanField("rules_kept", health.hasKeptRules());
            json.writeStringField("degraded", health.degraded());
            json.writeStringField(
                    "degraded_since", health.since().map(Instant::toString).orElse(null));
            json.writeArrayFieldStart("findings");
            for (String finding : health.findings()) {
                json.writeString(finding);
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    /** Returns the health without details, for callers without a token. */
    static String healthStatus(Health health) {
        return "{\"status\":\"" + status(health) + "\"}";
    }

    private static String status(Health health) {
        return health.phase().word();
    }

    /** Returns a problem as RFC 9457 defines it. */
    static String problem(int status, String detail) {
        return json(json -> {
            json.writeStartObject();
            json.writeStringField("type", "about:blank");
            json.writeStringField("title", title(status));
            json.writeNumberField("status", status);
            json.writeStringField("detail", detail);
            json.writeEndObject();
        });
    }

    static String title(int status) {
        return switch (status) {
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 409 -> "Conflict";
            case 413 -> "Content Too Large";
            case 503 -> "Service Unavailable";
            default -> "Internal Server Error";
        };
    }

    private static String json(Body body) {
        StringWriter text = new StringWriter(512);
        try (JsonGenerator json = JSON.createGenerator(text)) {
            body.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    @FunctionalInterface
    private interface Body {
        void write(JsonGenerator json) throws IOException;
    }
}
