package io.sluice.runtime.caller;

import io.sluice.rules.yaml.PrintableText;
import java.util.Map;

/**
 * A question about a caller, or about a request.
 *
 * @param id the number by which an answer names its question
 * @param hash the keyed hash of the caller; empty for {@link Kind#REQUEST}
 * @param request the attributes of the request; empty unless the question is about a request
 */
public record CallerQuestion(long id, String hash, Kind kind, Map<String, String> request) {

    public CallerQuestion {
        request = Map.copyOf(request);
    }

    /** Creates a question about a caller. */
    public CallerQuestion(long id, String hash, Kind kind) {
        this(id, hash, kind, Map.of());
    }

    /** Creates a question about a request: which rules match it, and how much of their limits is left. */
    public static CallerQuestion about(long id, Map<String, String> request) {
        return new CallerQuestion(id, "", Kind.REQUEST, request);
    }

    @Override
    public String toString() {
        // The attributes may identify a caller.
        return "CallerQuestion(" + id + ", " + kind.word() + ")";
    }

    /** The subject of a question. */
    public enum Kind {
        /** The rules that match the caller, and the rest of its limits. */
        EXPLAIN("explain"),
        /** The identity of the caller. */
        REVEAL("reveal"),
        /** The rules that match a request, and the rest of their limits. Every process has an answer. */
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
