package io.sluice.rules.redis;

import java.util.Map;

/** What was found under the key of a rule. */
sealed interface HashContent {

    /** A hash. */
    record Fields(Map<String, String> fields) implements HashContent {
        public Fields {
            fields = Map.copyOf(fields);
        }

        /** About what it takes to send it. */
        long size() {
            long size = 0;
            for (Map.Entry<String, String> field : fields.entrySet()) {
                size += field.getKey().length() + field.getValue().length();
            }
            return size;
        }
    }

    /** Nothing, or nothing any more. */
    record Gone() implements HashContent {}

    /** Something that is no rule, {@code name: value (expected: what would do)}. */
    record Unusable(String why) implements HashContent {}
}
