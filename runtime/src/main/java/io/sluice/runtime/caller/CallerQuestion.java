package io.sluice.runtime.caller;

import io.sluice.rules.yaml.PrintableText;
import java.util.Locale;

/**
 * A question about a caller.
 *
 * @param id tells questions apart
 * @param hash the keyed hash of the caller
 */
public record CallerQuestion(long id, String hash, Kind kind) {

    /** What is asked. */
    public enum Kind {
        /** Which rules match the caller, and what is left of its limits. */
        EXPLAIN,
        /** Who the caller is. */
        REVEAL;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Kind of(String word) {
            for (Kind kind : values()) {
                if (kind.word().equals(word)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("kind: " + PrintableText.text(word) + " (expected: explain or reveal)");
        }
    }
}
