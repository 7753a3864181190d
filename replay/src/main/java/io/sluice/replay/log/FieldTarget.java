package io.sluice.replay.log;

/**
 * A slot that a field of the log goes to. Immutable.
 *
 * @param rank the rank among the fields that go to the same slot; of several such fields in a line, the field with the lowest
 *     rank counts
 */
record FieldTarget(int slot, int rank) {}
