package io.sluice.rules.model;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a refused caller is told: one text, or one for each of some languages. Plain text, never evaluated. Immutable.
 *
 * @param texts by language; a text for everybody is filed under {@link #ANY} and then is the only one
 */
public record Message(Map<String, String> texts) {

    /** The languages that documents know, in the order in which they stand in for each other. */
    public static final List<String> LANGUAGES = List.of("en", "zh");

    /** Stands for every language. */
    public static final String ANY = "";

    public Message {
        texts = Map.copyOf(texts);
        boolean one = texts.size() == 1 && texts.containsKey(ANY);
        if (!one && (texts.isEmpty() || !LANGUAGES.containsAll(texts.keySet()))) {
            throw new IllegalArgumentException("message: " + new TreeMap<>(texts).keySet()
                    + " (expected: a text, or texts for " + LANGUAGES + ")");
        }
    }

    /** The same text for everybody. */
    public static Message of(String text) {
        return new Message(Map.of(ANY, text));
    }

    /** The text for a language; where there is none for it, the first there is. */
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
