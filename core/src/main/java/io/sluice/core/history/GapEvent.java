package io.sluice.core.history;

/**
 * Events are missing here, because they could not be recorded in time. An event that depends on a missing one is recorded after the
 * gap, never before it. Immutable.
 *
 * @param events how many events are missing
 * @param epochMicros the process's wall time at the end of the gap
 */
public record GapEvent(long events, long epochMicros) implements HistoryEvent {}
