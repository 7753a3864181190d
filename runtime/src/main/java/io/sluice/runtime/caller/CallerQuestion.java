package io.sluice.runtime.caller;

import io.sluice.rules.yaml.PrintableText;
import java.util.Map;

/**
 * A question about a caller, or about a request.
 *
 * @param id tells questions apart
 * @param hash the keyed hash of the caller; empty for {@link Kind#REQUEST}
 * @param request the attributes of the request; empty unless the question is about one
 */
public record CallerQuestion(long id, String hash, Kind kind, Map<String, String> request) {

    public CallerQuestion {
        request = Map.copyOf(request);
    }

    /** Creates a question about a caller. */
    public CallerQuestion(long id, String hash, Kind kind) {
        this(id, hash, kind, Map.of());
    }

    /** Creates the question which rules match a request, and what is left of their limits. */
    public static CallerQuestion about(long id, Map<String, String> request) {
        return new CallerQuestion(id, "", Kind.REQUEST, request);
    }

    @Override
    public String toString() {
        // The attributes may tell who a caller is.
        return "CallerQuestion(" + id + ", " + kind.word() + ")";
    }

    /** What is asked. */
    public enum Kind {
        /** Which rules match the caller, and what is left of its limits. */
        EXPLAIN("explain"),
        /** Who the caller is. */
        REVEAL("reveal"),
        /** Which rules match a request, and what is left of their limits. Every process has an answer. */
        REQUEST("request");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }

        static Kind of(String word) {
            for (Kind kind : values()) {
                if (kind.word().equals(word) && kind != REQUEST) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("kind: " + PrintableText.text(word) + " (expected: explain or reveal)");
        }
    }
}
