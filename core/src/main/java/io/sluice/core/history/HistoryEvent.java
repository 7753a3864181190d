package io.sluice.core.history;

/** Something that happened to a count or to a caller. Immutable. */
public sealed interface HistoryEvent permits StepEvent, SpendEvent, UnspendEvent, AnswerEvent, GapEvent {}
