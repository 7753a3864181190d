package io.sluice.core.history;

/**
 * A gap, where events are missing because they could not be recorded in time. An event that depends on a missing event is recorded after
 * the gap, never before it. Immutable.
 *
 * @param events the number of missing events
 * @param epochMicros the process's wall time at the end of the gap
 */
public record GapEvent(long events, long epochMicros) implements HistoryEvent {}
