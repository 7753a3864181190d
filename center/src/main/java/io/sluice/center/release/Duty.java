package io.sluice.center.release;

/**
 * Work of the center that leads, in small turns. Repeating it does no harm. Each duty has a thread of its own, which takes a turn several times
 * a second.
 */
@FunctionalInterface
public interface Duty {

    /**
     * Takes a turn.
     *
     * @param leads whether this center leads; if not, the duty only forgets what it has begun
     */
    void turn(boolean leads);
}
