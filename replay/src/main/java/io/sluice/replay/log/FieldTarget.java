package io.sluice.replay.log;

/**
 * A slot that a field of the log goes to. Immutable.
 *
 * @param rank if several fields of a line go to the same slot, the one with the lowest rank counts
 */
record FieldTarget(int slot, int rank) {}
