package io.sluice.center.approval;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * An action that one person took without waiting for approval. It ends by itself unless other people accept it. Immutable.
 *
 * @param subject the version, or the id of the adjustment
 * @param before the version that was in force before the action
 * @param change the id of the released change; 0 if none was released
 * @param why the reasons why the action needed approval
 * @param guarded the rules that count as protected until the review
 * @param at the time in milliseconds since the epoch
 * @param endsAt the end of the emergency unless it is accepted, in milliseconds since the epoch
 * @param closedAt the time when it was closed, in milliseconds since the epoch; 0 while it waits
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

    /** The kind of action. */
    public enum Kind {
        RELEASE("release"),
        ROLLBACK("rollback"),
        SWITCH("switch"),
        OVERRIDE("override");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns whether the action released a version. */
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

    /** The state of the review. */
    public enum State {
        /** The emergency holds and waits for review. */
        WAITING("waiting"),
        /** The time of the emergency ended before its review. It was undone and still waits for review. */
        ENDED("ended"),
        ACCEPTED("accepted"),
        /** A reviewer rejected the emergency, and it was undone. */
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

    /** Returns whether the emergency still waits for review. */
    public boolean isUnreviewed() {
        return state == State.WAITING || state == State.ENDED;
    }
}
