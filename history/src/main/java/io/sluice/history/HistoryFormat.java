package io.sluice.history;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Objects;

/** The format of limits in a history file: an object with the keys of rule documents, and spans in microseconds. */
final class HistoryFormat {

    static final String MAGIC = "sluice-history";
    static final int VERSION = 5;

    /** Lacks gaps and files that others continue, which 4 has, and settlements and kept permits, which 5 has. */
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
        if (limit instanceof TokenBucket bucket) {
            write(out, bucket.rate());
            out.writeNumberField("burst", bucket.burst());
            out.writeNumberField("max_wait", bucket.maxWaitMicros());
        } else if (limit instanceof LeakyBucket bucket) {
            write(out, bucket.rate());
            out.writeNumberField("capacity", bucket.waiting());
            out.writeNumberField("max_wait", bucket.maxWaitMicros());
        } else {
            out.writeNumberField("limit", limit.capacity());
            Calendar calendar = limit instanceof FixedWindow window ? window.calendar() : null;
            if (calendar != null) {
                out.writeStringField("align", calendar.word().toUpperCase(Locale.ROOT));
                out.writeStringField(
                        "zone",
                        Objects.requireNonNull(((FixedWindow) limit).zone()).getId());
            } else {
                out.writeNumberField("window", limit.windowMicros());
            }
            if (limit instanceof SlidingWindow window) {
                out.writeNumberField("slices", window.slices());
                out.writeBooleanField("weighted", window.weighted());
            }
        }
        out.writeEndObject();
    }

    private static void write(JsonGenerator out, Rate rate) throws IOException {
        out.writeNumberField("permits", rate.permits());
        out.writeNumberField("per", rate.perMicros());
    }

    static Limit limit(JsonNode node) {
        Limit.Named named = Limit.named(text(node, "name"));
        long limit = node.path("limit").asLong();
        String algorithm = text(node, "algorithm");
        return switch (algorithm) {
            case "token_bucket" ->
                named.tokenBucket(rate(node)).withBurst(number(node, "burst")).withMaxWait(span(node, "max_wait"));
            case "leaky_bucket" ->
                named.leakyBucket(rate(node))
                        .withCapacity(number(node, "capacity"))
                        .withMaxWait(span(node, "max_wait"));
            case "fixed_window" ->
                node.has("align")
                        ? named.fixedWindow(
                                limit,
                                Calendar.of(text(node, "align").toLowerCase(Locale.ROOT)),
                                ZoneId.of(text(node, "zone")))
                        : named.fixedWindow(limit, span(node, "window"));
            case "sliding_window" ->
                new SlidingWindow(
                        named.name(),
                        limit,
                        span(node, "window"),
                        (int) number(node, "slices"),
                        node.path("weighted").asBoolean());
            case "sliding_log" -> new SlidingLog(named.name(), limit, span(node, "window"));
            case "concurrency" -> new Concurrency(named.name(), limit, span(node, "window"));
            default ->
                throw new IllegalArgumentException("algorithm: \"" + algorithm + "\" (expected: a known algorithm)");
        };
    }

    private static Rate rate(JsonNode node) {
        return new Rate(number(node, "permits"), span(node, "per"));
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
