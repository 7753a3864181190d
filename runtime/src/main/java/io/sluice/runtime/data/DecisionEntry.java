package io.sluice.runtime.data;

import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.rules.yaml.PrintableText;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * One decision, as it is logged. It does not reveal the identity of the caller. Immutable.
 *
 * @param atMillis the time of the decision, in milliseconds since 1970
 * @param requestId the id of the request; empty if it has none
 * @param traceId the trace of the request; empty if it has none
 * @param service the service that the request is for; empty if it names none
 * @param resource the path, or another resource that the request is for; empty if it names none
 * @param method the method of the request; empty if it names none
 * @param dimensions the attributes that distinguish callers, by name
 * @param rule the rule that decided; empty if none matched
 * @param limit the limit that decided, as reports name it; empty if no limit did
 * @param reason the reason in words
 * @param current how much of the limit was used; 0 without a limit
 * @param threshold how much the limit allows; 0 without a limit
 * @param permits the requested permits
 * @param mode the mode of the decision, as answers spell it
 * @param degraded why the shared store did not decide; empty if it did or was not needed
 * @param version the version of the rules
 * @param caller the caller that the limit counts; empty if no attribute distinguishes callers
 */
public record DecisionEntry(
        long atMillis,
        String requestId,
        String traceId,
        String service,
        String resource,
        String method,
        Map<String, CallerMark> dimensions,
        String rule,
        String limit,
        Outcome outcome,
        String reason,
        long current,
        long threshold,
        long permits,
        String mode,
        String degraded,
        long version,
        Optional<CallerMark> caller) {

    /** The maximum number of characters of an entry as text. */
    public static final int MOST_CHARACTERS = 16_384;

    private static final int LONGEST_TEXT = 1_000;

    private static final long EARLIEST = 0;

    /** The end of the year 9999. */
    private static final long LATEST = 253_402_300_799_999L;

    /** The outcomes of a decision. */
    public enum Outcome {
        ALLOWED("allowed"),
        REJECTED("rejected"),
        /** A rule with {@code action: deny} refused. */
        DENIED("denied"),
        /** A rule with {@code action: exempt} let the request pass. */
        EXEMPT("exempt");

        private final String word;

        Outcome(String word) {
            this.word = word;
        }

        /** Returns the name in logs. */
        public String word() {
            return word;
        }

        public boolean passed() {
            return this == ALLOWED || this == EXEMPT;
        }

        /** Returns the outcome with this name. */
        public static Outcome of(String word) {
            for (Outcome outcome : values()) {
                if (outcome.word().equals(word)) {
                    return outcome;
                }
            }
            throw new IllegalArgumentException(
                    "decision: " + PrintableText.text(word) + " (expected: allowed, rejected, denied or exempt)");
        }
    }

    public DecisionEntry {
        atMillis = Math.max(EARLIEST, Math.min(LATEST, atMillis));
        requestId = cut(requestId);
        service = cut(service);
        resource = cut(resource);
        method = cut(method);
        reason = cut(reason);
        dimensions = Map.copyOf(dimensions);
    }

    private static String cut(String text) {
        return text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text;
    }

    /** Returns a copy at another time: this many milliseconds later, or earlier if the number is negative. */
    public DecisionEntry shifted(long millis) {
        return millis == 0
                ? this
                : new DecisionEntry(
                        atMillis + Math.max(-LATEST, Math.min(LATEST, millis)),
                        requestId,
                        traceId,
                        service,
                        resource,
                        method,
                        dimensions,
                        rule,
                        limit,
                        outcome,
                        reason,
                        current,
                        threshold,
                        permits,
                        mode,
                        degraded,
                        version,
                        caller);
    }

    /** Returns the entry as JSON on one line, without the end of the line. */
    public String toJson() {
        JsonLine line = new JsonLine()
                .begin()
                .field("timestamp", Instant.ofEpochMilli(atMillis).toString())
                .field("request_id", requestId)
                .field("trace_id", traceId)
                .field("service", service)
                .field("resource", resource)
                .field("method", method)
                .field("dimensions", (Object) marks(CallerMark::shown))
                .field("hashes", (Object) marks(CallerMark::hash))
                .field("rule_id", rule)
                .field("limit_id", limit)
                .field("decision", outcome.word())
                .field("reason", reason)
                .field("current_count", current)
                .field("threshold", threshold)
                .field("permits", permits)
                .field("mode", mode)
                .field("degraded", degraded)
                .field("rule_version", version);
        caller.ifPresent(mark -> line.field("caller", mark.shown()).field("caller_hash", mark.hash()));
        return line.end().toString();
    }

    /** Names of attributes may come from another process, so they are escaped like values. */
    private Map<String, String> marks(Function<CallerMark, String> part) {
        Map<String, String> marks = new TreeMap<>();
        dimensions.forEach((name, mark) -> marks.put(name, part.apply(mark)));
        return marks;
    }

    /**
     * Reads what {@link #toJson} writes. Unknown fields are ignored.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    public static DecisionEntry parse(String json) {
        JsonObject fields = JsonObject.parse(json, MOST_CHARACTERS);
        Map<String, CallerMark> dimensions = new LinkedHashMap<>();
        Optional<JsonObject> hashes = fields.object("hashes");
        fields.object("dimensions").ifPresent(shown -> {
            for (String name : shown.names()) {
                dimensions.put(
                        name,
                        mark(
                                shown.text(name),
                                hashes.flatMap(all -> all.optionalText(name)).orElse("")));
            }
        });
        return new DecisionEntry(
                Instant.parse(fields.text("timestamp")).toEpochMilli(),
                fields.text("request_id"),
                fields.text("trace_id"),
                fields.text("service"),
                fields.text("resource"),
                fields.text("method"),
                dimensions,
                fields.text("rule_id"),
                fields.text("limit_id"),
                Outcome.of(fields.text("decision")),
                fields.text("reason"),
                fields.whole("current_count", Long.MIN_VALUE, Long.MAX_VALUE),
                fields.whole("threshold", 0, Long.MAX_VALUE),
                fields.whole("permits", 0, Long.MAX_VALUE),
                fields.text("mode"),
                fields.text("degraded"),
                fields.whole("rule_version", 0, Long.MAX_VALUE),
                fields.optionalText("caller_hash")
                        .map(hash -> mark(fields.optionalText("caller").orElse(""), hash)));
    }

    /** Returns a mark. A shown text that starts with {@code #} is the hash in place of a masked text, and is dropped. */
    private static CallerMark mark(String shown, String hash) {
        return new CallerMark(shown.startsWith("#") ? "" : shown, hash);
    }

    /** Packs a list. */
    public static byte[] toBytes(List<DecisionEntry> entries) {
        PackWriter pack = new PackWriter().number(1).number(entries.size());
        entries.forEach(entry -> pack.text(entry.toJson()));
        return pack.toBytes();
    }

    /** Reads what {@link #toBytes} writes. Throws {@link IllegalArgumentException} if the bytes have another form. */
    public static List<DecisionEntry> list(byte[] bytes) {
        PackReader pack = new PackReader(bytes);
        if (pack.number() != 1) {
            throw new IllegalArgumentException("decisions: of another version (expected: 1)");
        }
        List<DecisionEntry> entries = new ArrayList<>();
        int size = pack.count();
        for (int i = 0; i < size; i++) {
            try {
                entries.add(parse(pack.text()));
            } catch (DateTimeException | ArithmeticException e) {
                throw new IllegalArgumentException("timestamp: not a time (expected: such as 2027-01-01T00:00:00Z)", e);
            }
        }
        return entries;
    }
}
