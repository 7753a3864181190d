package io.sluice.runtime.recording;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import java.util.List;

/**
 * A center asks for the requests that a process has recorded since some time. Immutable.
 *
 * @param id tells questions apart
 * @param sinceMicros older requests are not asked for; in microseconds since the epoch
 * @param mostBytes the most bytes of the compressed answer. If there are more requests, the newest ones are asked for
 */
public record ExcerptQuestion(long id, long sinceMicros, int mostBytes) {

    /** The fewest bytes that an answer may be bounded to. */
    public static final int LEAST_BYTES = 64 << 10;

    /** The most bytes of an answer: some 100,000 requests. */
    public static final int MOST_BYTES = 8 << 20;

    /** The most requests of an answer. */
    public static final int MOST_REQUESTS = 300_000;

    private static final long LATEST_MICROS = 1L << 53;

    public ExcerptQuestion {
        if (id < 0) {
            throw new IllegalArgumentException("id: " + id + " (expected: 0 or more)");
        }
        if (sinceMicros < 0 || sinceMicros > LATEST_MICROS) {
            throw new IllegalArgumentException(
                    "since: " + sinceMicros + " (expected: microseconds since 1970, at most " + LATEST_MICROS + ")");
        }
        if (mostBytes < LEAST_BYTES || mostBytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "bytes: " + mostBytes + " (expected: " + LEAST_BYTES + ".." + MOST_BYTES + ")");
        }
    }

    /** Writes questions as a list of objects. */
    public static void write(JsonLine line, String name, List<ExcerptQuestion> questions) {
        if (!questions.isEmpty()) {
            line.list(name, questions, each -> line.field("id", each.id())
                    .field("since", each.sinceMicros())
                    .field("bytes", each.mostBytes()));
        }
    }

    /**
     * Reads what {@link #write} writes.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public static List<ExcerptQuestion> read(JsonObject fields, String name) {
        return fields.objects(name).stream()
                .map(each -> new ExcerptQuestion(
                        each.whole("id", 0, Long.MAX_VALUE), each.whole("since", 0, LATEST_MICROS), (int)
                                each.whole("bytes", LEAST_BYTES, MOST_BYTES)))
                .toList();
    }
}
