package io.sluice.rules.document;

import java.util.List;

/** The algorithms that a limit can name, with the parameters that each one requires and accepts. */
enum Algorithm {
    TOKEN_BUCKET("token_bucket"),
    LEAKY_BUCKET("leaky_bucket"),
    FIXED_WINDOW("fixed_window"),
    SLIDING_WINDOW("sliding_window"),
    SLIDING_LOG("sliding_log"),
    CONCURRENCY("concurrency");

    private final String word;

    Algorithm(String word) {
        this.word = word;
    }

    /** Returns the spelling in documents. */
    String word() {
        return word;
    }

    /** Returns the keys that must be present. A fixed window also needs {@code window} or {@code align}. */
    List<String> required() {
        return switch (this) {
            case TOKEN_BUCKET, LEAKY_BUCKET -> List.of("rate");
            case FIXED_WINDOW -> List.of("limit");
            case SLIDING_WINDOW, SLIDING_LOG -> List.of("limit", "window");
            case CONCURRENCY -> List.of("limit", "ttl");
        };
    }

    /** Returns all keys that may be present, the required ones first. */
    List<String> parameters() {
        return switch (this) {
            case TOKEN_BUCKET -> List.of("rate", "burst", "max_wait");
            case LEAKY_BUCKET -> List.of("rate", "capacity", "max_wait");
            case FIXED_WINDOW -> List.of("limit", "window", "align", "zone");
            case SLIDING_WINDOW -> List.of("limit", "window", "slices", "weighted");
            case SLIDING_LOG, CONCURRENCY -> required();
        };
    }

    /** Returns whether what was charged can be settled afterwards. Permits that are held and time slots cannot. */
    boolean hasCost() {
        return this != LEAKY_BUCKET && this != CONCURRENCY;
    }

    /** Returns the keys that an override may replace. */
    List<String> numbers() {
        return parameters().stream().filter(DocumentKeys.NUMBERS::contains).toList();
    }
}
