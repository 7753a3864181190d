package io.sluice.center.approval;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Something that one person did without waiting for approval. It ends by itself, and others review it. Immutable.
 *
 * @param subject the version, or the id of the adjustment
 * @param before the version that was in force before
 * @param change 0 unless a change was released
 * @param why what needed approval
 * @param guarded rules that count as protected until it was reviewed
 * @param at milliseconds since the epoch
 * @param endsAt when it ends unless it was accepted, in milliseconds since the epoch
 * @param closedAt milliseconds since the epoch; 0 while it waits
 * @param undoneBy the version that undid it; 0 if none did
 */
public record Emergency(
        long id,
        Kind kind,
        long subject,
        long before,
        long change,
        List<Protection.Reason> why,
        Set<String> guarded,
        String actor,
        String identity,
        String reason,
        long at,
        long endsAt,
        State state,
        String closedBy,
        long closedAt,
        String closeReason,
        long undoneBy) {

    public Emergency {
        why = List.copyOf(why);
        guarded = Set.copyOf(guarded);
    }

    /** What was done. */
    public enum Kind {
        RELEASE("release"),
        ROLLBACK("rollback"),
        SWITCH("switch"),
        OVERRIDE("override");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns whether it released a version. */
        public boolean isVersion() {
            return this == RELEASE || this == ROLLBACK;
        }

        /** Returns the name in the API and the database. */
        public String word() {
            return word;
        }

        static Kind of(String word) {
            return Arrays.stream(values())
                    .filter(each -> each.word.equals(word))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** What became of it. */
    public enum State {
        /** It holds, and waits for review. */
        WAITING("waiting"),
        /** Its time was over before somebody reviewed it. It was undone, and still waits for review. */
        ENDED("ended"),
        ACCEPTED("accepted"),
        /** It was undone. */
        REJECTED("rejected");

        private final String word;

        State(String word) {
            this.word = word;
        }

        /** Returns the name in the API and the database. */
        public String word() {
            return word;
        }

        static State of(String word) {
            return Arrays.stream(values())
                    .filter(state -> state.word().equals(word))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Returns whether nobody has decided about it yet. */
    public boolean isUnreviewed() {
        return state == State.WAITING || state == State.ENDED;
    }
}
