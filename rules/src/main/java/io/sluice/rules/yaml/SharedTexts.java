package io.sluice.rules.yaml;

import org.jspecify.annotations.Nullable;

/**
 * Cuts short texts out of a document, and returns the same object for many equal ones. A large rule set has few keys and many
 * equal values. Not thread-safe.
 */
final class SharedTexts {

    private static final int LONGEST = 32;
    private static final int SIZE = 1024;

    /** The latest text for each remainder of the hash. */
    private final @Nullable String[] recent = new String[SIZE];

    String of(String document, int start, int end) {
        int length = end - start;
        if (length > LONGEST) {
            return document.substring(start, end);
        }
        int hash = 0;
        for (int i = start; i < end; i++) {
            hash = 31 * hash + document.charAt(i);
        }
        int slot = (hash ^ hash >>> 10) & (SIZE - 1);
        String known = recent[slot];
        if (known != null && known.length() == length && document.startsWith(known, start)) {
            return known;
        }
        String text = document.substring(start, end);
        recent[slot] = text;
        return text;
    }
}
