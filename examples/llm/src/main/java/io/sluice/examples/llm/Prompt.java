package io.sluice.examples.llm;

import java.util.Locale;
import java.util.OptionalInt;

/**
 * A request to the model.
 *
 * @param words how long the answer is to be
 * @param mostTokens {@code max_tokens}, if the caller states it
 * @param leavesEarly whether the caller leaves after a few events of a stream
 */
record Prompt(int words, OptionalInt mostTokens, boolean streams, boolean leavesEarly) {

    /** What the rule reserves for a request that does not state {@code max_tokens}. */
    static final int DEFAULT_RESERVATION = 2_000;

    static Prompt plain(int words, int mostTokens) {
        return new Prompt(words, OptionalInt.of(mostTokens), false, false);
    }

    static Prompt streamed(int words, int mostTokens) {
        return new Prompt(words, OptionalInt.of(mostTokens), true, false);
    }

    /** A request that does not say how long its answer may become. */
    static Prompt unbounded(int words) {
        return new Prompt(words, OptionalInt.empty(), true, false);
    }

    /** A stream that its caller leaves. It would take so long that the caller is gone well before its end. */
    static Prompt abandoned(int mostTokens) {
        return new Prompt(100_000, OptionalInt.of(mostTokens), true, true);
    }

    /** Returns what the rule reserves for it. */
    int reserved() {
        return mostTokens.orElse(DEFAULT_RESERVATION);
    }

    String body(String tenant) {
        return String.format(
                Locale.ROOT,
                "{\"model\":\"word\",\"user\":\"%s\",%s%s\"messages\":[{\"role\":\"user\",\"content\":\"Tell me about rivers in %d words.\"}]}",
                tenant,
                mostTokens.isPresent() ? "\"max_tokens\":" + mostTokens.getAsInt() + "," : "",
                streams ? "\"stream\":true,\"stream_options\":{\"include_usage\":true}," : "",
                words);
    }
}
