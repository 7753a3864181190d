package io.sluice.rules.model;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The text for a refused caller: one text for all languages, or one per language. Plain text, never evaluated. Immutable.
 *
 * @param texts the texts by language; a text for all languages has the key {@link #ANY} and is then the only text
 */
public record Message(Map<String, String> texts) {

    /**
     * The languages that documents may use. If the requested language has no text, the first of these languages with a text is
     * used.
     */
    public static final List<String> LANGUAGES = List.of("en", "zh");

    /** The key of a text for all languages. */
    public static final String ANY = "";

    public Message {
        texts = Map.copyOf(texts);
        boolean one = texts.size() == 1 && texts.containsKey(ANY);
        if (!one && (texts.isEmpty() || !LANGUAGES.containsAll(texts.keySet()))) {
            throw new IllegalArgumentException("message: " + new TreeMap<>(texts).keySet()
                    + " (expected: a text, or texts for " + LANGUAGES + ")");
        }
    }

    /** Creates a message with the same text for all languages. */
    public static Message of(String text) {
        return new Message(Map.of(ANY, text));
    }

    /** Returns the text for a language, or the first available text if the language has none. */
    public String in(String language) {
        String exact = texts.get(language);
        if (exact != null) {
            return exact;
        }
        for (String other : LANGUAGES) {
            String text = texts.get(other);
            if (text != null) {
                return text;
            }
        }
        return texts.getOrDefault(ANY, "");
    }
}
