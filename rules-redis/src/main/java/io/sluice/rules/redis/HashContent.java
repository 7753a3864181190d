package io.sluice.rules.redis;

import java.util.Map;

/** The content of the key of a rule. */
sealed interface HashContent {

    /** A hash. */
    record Fields(Map<String, String> fields) implements HashContent {
        public Fields {
            fields = Map.copyOf(fields);
        }

        /** Returns approximately how many bytes it takes to send it. */
        long size() {
            long size = 0;
            for (Map.Entry<String, String> field : fields.entrySet()) {
                size += field.getKey().length() + field.getValue().length();
            }
            return size;
        }
    }

    /** The key has no content, or no longer has any. */
    record Gone() implements HashContent {}

    /** Content that is not a rule, with the reason in the form {@code name: value (expected: …)}. */
    record Unusable(String why) implements HashContent {}
}
