package io.sluice.runtime.erasure;

import io.sluice.rules.caller.SubjectKeys;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A place where a process stores something about subjects: counts, recordings or decisions. Calls come from one thread. */
public interface ErasableStore {

    /** Returns what it stores, in small letters and {@code _}, such as {@code counts}. Several stores may have one kind. */
    String kind();

    /**
     * Removes everything about a subject. May block. Removing again what is gone does no harm.
     *
     * @param erasure names the erasure, the same in all processes of a fleet; it does not say who the subject is
     * @throws IOException if something could not be removed; its message must not name the subject
     */
    Attempt erase(String erasure, SubjectKeys keys) throws IOException;

    /**
     * Returns what it stores but can never search, whoever the subject is, as sentences for the result. Called after {@link #erase}.
     */
    default List<String> unsearchable() {
        return List.of();
    }

    /**
     * What came of an attempt.
     *
     * @param removed how many things this attempt removed
     * @param unfinished why something may be left, as a part of a sentence that does not name the subject; empty if nothing is. The
     *     attempt is then repeated for ten minutes
     */
    record Attempt(long removed, Optional<String> unfinished) {

        public static Attempt done(long removed) {
            return new Attempt(removed, Optional.empty());
        }

        public static Attempt unfinished(long removed, String why) {
            return new Attempt(removed, Optional.of(why));
        }
    }
}
