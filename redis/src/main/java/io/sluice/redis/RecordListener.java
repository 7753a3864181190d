package io.sluice.redis;

/**
 * Hears of every step that this process had Redis take on a count, for checking histories. Called on the thread that reads from
 * Redis, before whoever asked is told: it has to be short. Steps whose answer was lost are not heard of; their numbers are missing.
 */
@FunctionalInterface
public interface RecordListener {

    void recorded(Recorded step);
}
