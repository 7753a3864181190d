package io.sluice.runtime.recording;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import java.util.List;

/**
 * A question of a center for the requests that a process has recorded since a given time. Immutable.
 *
 * @param id the number by which an answer names its question
 * @param sinceMicros the time of the oldest requested requests, in microseconds since the epoch
 * @param mostBytes the maximum number of bytes of the compressed answer. If there are more requests, the answer has the newest ones
 */
public record ExcerptQuestion(long id, long sinceMicros, int mostBytes) {

    /** The minimum of {@code mostBytes}. */
    public static final int LEAST_BYTES = 64 << 10;

    /** The maximum number of bytes of an answer, enough for some 100,000 requests. */
    public static final int MOST_BYTES = 8 << 20;

    /** The maximum number of requests of an answer. */
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
     * Reads the result of {@link #write}.
     *
     * @throws IllegalArgumentException if the value is anything else
     */
    public static List<ExcerptQuestion> read(JsonObject fields, String name) {
        return fields.objects(name).stream()
                .map(each -> new ExcerptQuestion(
                        each.whole("id", 0, Long.MAX_VALUE), each.whole("since", 0, LATEST_MICROS), (int)
                                each.whole("bytes", LEAST_BYTES, MOST_BYTES)))
                .toList();
    }
}
