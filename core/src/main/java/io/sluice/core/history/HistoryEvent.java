package io.sluice.core.history;

/** An event on a count or for a caller. Immutable. */
public sealed interface HistoryEvent permits StepEvent, SpendEvent, UnspendEvent, AnswerEvent, GapEvent {}
