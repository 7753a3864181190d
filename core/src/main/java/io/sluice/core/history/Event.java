package io.sluice.core.history;

/** Something that happened to a count or to a caller. Immutable. */
public sealed interface Event permits Recorded, Spent, Unspent, Answered {}
