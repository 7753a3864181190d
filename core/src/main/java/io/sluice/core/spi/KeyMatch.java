package io.sluice.core.spi;

import java.util.Collection;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Selects the keys that belong to a subject whose counts are to be forgotten. Thread-safe if the predicate is. It has no text form that
 * shows the subject.
 *
 * <p>Engines replace keys that are too long to keep by their {@link KeyDigest}. Such a key is found only if the creator of the match names
 * it in full.
 */
public final class KeyMatch {

    private final Predicate<String> keys;
    private final Set<String> digests;

    /**
     * Creates a match.
     *
     * @param keys tests a key as demands have it
     * @param named the full keys of the subject that engines may have replaced by their digest
     */
    public KeyMatch(Predicate<String> keys, Collection<String> named) {
        this.keys = keys;
        this.digests = named.stream().map(KeyDigest::of).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns whether a key belongs to the subject. */
    public boolean matches(String key) {
        return keys.test(key);
    }

    /** Returns whether a key with this {@link KeyDigest} belongs to the subject. */
    public boolean matchesDigest(String digest) {
        return digests.contains(digest);
    }

    @Override
    public String toString() {
        return "KeyMatch(hidden)";
    }
}
