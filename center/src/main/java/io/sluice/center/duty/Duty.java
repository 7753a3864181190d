package io.sluice.center.duty;

/**
 * Work of the leading center, done in small turns. Repeating it does no harm. Each duty has its own thread, which takes a turn
 * several times a second.
 */
@FunctionalInterface
public interface Duty {

    /**
     * Takes a turn.
     *
     * @param leads whether this center leads; if not, the duty only forgets the work that it has started
     */
    void turn(boolean leads);
}
