package io.sluice.runtime.recording;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import java.util.List;
import java.util.Set;

/**
 * The first line of an excerpt. The requests follow, one JSON object per line, and everything together is compressed with gzip. Immutable.
 *
 * @param sinceMicros the time since which the excerpt has every recorded request, in microseconds since the epoch
 * @param cut whether there were more requests since the requested time
 * @param dropped the number of requests and steps that the recording lacks since the process started, because there was no room for them
 * @param plain the attributes that are recorded unchanged; all others but service, path and method are hashes
 * @param key a text that is different for each key by which processes hash callers; it does not reveal the key
 */
public record ExcerptHead(long sinceMicros, boolean cut, long dropped, Set<String> plain, String key) {

    /** The maximum number of characters of the line. A longer line is not a head. */
    public static final int LONGEST = 16_384;

    private static final int FORM = 1;
    private static final int MOST_NAMES = 100;
    private static final int LONGEST_NAME = 100;

    public ExcerptHead {
        plain = Set.copyOf(plain);
    }

    /**
     * Reads the result of {@link #toJson}. Ignores unknown fields.
     *
     * @throws IllegalArgumentException if the text is anything else
     */
    public static ExcerptHead parse(String json) {
        JsonObject fields = JsonObject.parse(json, LONGEST);
        long form = fields.whole("excerpt", FORM, FORM);
        List<String> plain = fields.texts("plain");
        if (form != FORM
                || fields.text("key").length() > LONGEST_NAME
                || plain.size() > MOST_NAMES
                || plain.stream().anyMatch(name -> name.length() > LONGEST_NAME)) {
            throw new IllegalArgumentException("plain: too many or too long names (expected: at most " + MOST_NAMES
                    + " names, and a key, of at most " + LONGEST_NAME + " characters)");
        }
        return new ExcerptHead(
                fields.whole("since", 0, Long.MAX_VALUE),
                fields.flag("cut", false),
                fields.whole("dropped", 0, Long.MAX_VALUE),
                Set.copyOf(plain),
                fields.text("key"));
    }

    /** Returns the head as JSON on one line. */
    public String toJson() {
        return new JsonLine()
                .begin()
                .field("excerpt", FORM)
                .field("since", sinceMicros)
                .field("cut", cut)
                .field("dropped", dropped)
                .field(
                        "plain",
                        plain.stream()
                                .filter(name -> name.length() <= LONGEST_NAME)
                                .sorted()
                                .limit(MOST_NAMES)
                                .toList())
                .field("key", key)
                .end()
                .toString();
    }
}
