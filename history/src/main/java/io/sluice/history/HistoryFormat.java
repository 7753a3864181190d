package io.sluice.history;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import io.sluice.core.limit.Rate;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The format of limits in a history file: a JSON object with the keys of rule documents and with durations in microseconds. */
final class HistoryFormat {

    static final String MAGIC = "sluice-history";
    static final int VERSION = 5;

    /**
     * The oldest readable version. Version 4 added gaps and files that other files continue; version 5 added settlements and
     * kept permits.
     */
    private static final int EARLIEST = 3;

    private static final JsonFactory ASCII =
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private HistoryFormat() {}

    static boolean isReadable(long version) {
        return version >= EARLIEST && version <= VERSION;
    }

    /** Returns the versions that can be read, as a range. */
    static String readable() {
        return EARLIEST + ".." + VERSION;
    }

    /** Writes a limit as JSON in ASCII. */
    static String json(Limit limit) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = ASCII.createGenerator(text)) {
            write(out, limit);
        }
        return text.toString();
    }

    private static void write(JsonGenerator out, Limit limit) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", limit.name());
        out.writeStringField("algorithm", limit.algorithm());
        for (Map.Entry<Parameter, Object> each : limit.parameters().entrySet()) {
            write(out, each.getKey(), each.getValue());
        }
        out.writeEndObject();
    }

    private static void write(JsonGenerator out, Parameter parameter, Object value) throws IOException {
        String field = field(parameter);
        switch (parameter) {
            case RATE -> {
                out.writeNumberField("permits", ((Rate) value).permits());
                out.writeNumberField("per", ((Rate) value).perMicros());
            }
            case BURST, CAPACITY, LIMIT, SLICES -> out.writeNumberField(field, (Long) value);
            case MAX_WAIT, WINDOW, TTL -> out.writeNumberField(field, TimeUnit.MICROSECONDS.convert((Duration) value));
            case ALIGN -> out.writeStringField(field, ((Calendar) value).word().toUpperCase(Locale.ROOT));
            case ZONE -> out.writeStringField(field, ((ZoneId) value).getId());
            case WEIGHTED -> out.writeBooleanField(field, (Boolean) value);
        }
    }

    static Limit limit(JsonNode node) {
        Algorithm algorithm = Algorithm.of(text(node, "algorithm"));
        Map<Parameter, Object> values = new EnumMap<>(Parameter.class);
        for (Parameter parameter : algorithm.parameters()) {
            if (node.has(field(parameter))) {
                values.put(parameter, value(node, parameter));
            }
        }
        return algorithm.limit(text(node, "name"), values);
    }

    private static Object value(JsonNode node, Parameter parameter) {
        String field = field(parameter);
        return switch (parameter) {
            case RATE -> new Rate(number(node, field), span(node, "per"));
            case BURST, CAPACITY, LIMIT, SLICES -> number(node, field);
            case MAX_WAIT, WINDOW, TTL -> span(node, field);
            case ALIGN -> Calendar.of(text(node, field).toLowerCase(Locale.ROOT));
            case ZONE -> ZoneId.of(text(node, field));
            case WEIGHTED -> node.path(field).asBoolean();
        };
    }

    /** Returns the field of a parameter, or the first of its two fields. */
    private static String field(Parameter parameter) {
        return switch (parameter) {
            case RATE -> "permits";
            case TTL -> "window";
            default -> parameter.word();
        };
    }

    private static Duration span(JsonNode node, String field) {
        return Duration.of(number(node, field), ChronoUnit.MICROS);
    }

    private static long number(JsonNode node, String field) {
        return node.path(field).asLong();
    }

    private static String text(JsonNode node, String field) {
        return node.path(field).asText();
    }
}
