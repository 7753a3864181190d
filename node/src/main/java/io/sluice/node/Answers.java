package io.sluice.node;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.rules.AnswerJson;
import io.sluice.rules.Ruling;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** The JSON bodies of the decision API. */
final class Answers {

    private static final JsonFactory JSON = new JsonFactory();

    private Answers() {}

    static byte[] check(Ruling.Settled ruling) {
        return AnswerJson.check(ruling).getBytes(StandardCharsets.UTF_8);
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
