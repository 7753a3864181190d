package io.sluice.runtime.erasure;

import io.sluice.rules.caller.SubjectKeys;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A place where a process stores data about subjects: counts, recordings or decisions. Calls come from one thread. */
public interface ErasableStore {

    /** Returns the kind of data, in small letters and {@code _}, such as {@code counts}. Several stores may have one kind. */
    String kind();

    /**
     * Removes all data about a subject. May block. Repeating a removal does no harm.
     *
     * @param erasure the name of the erasure, the same in all processes of a fleet; it does not identify the subject
     * @throws IOException if data could not be removed; its message must not name the subject
     */
    Attempt erase(String erasure, SubjectKeys keys) throws IOException;

    /**
     * Returns sentences about stored data that can never be searched, for any subject. They become part of the result. Called after
     * {@link #erase}.
     */
    default List<String> unsearchable() {
        return List.of();
    }

    /**
     * The result of an attempt.
     *
     * @param removed the number of entries that this attempt removed
     * @param unfinished why data may be left, as a part of a sentence that does not name the subject; empty if nothing is left. The
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
