package io.sluice.core.spi;

/** An answer that has arrived: the decision or the failure of the engine. */
public sealed interface Outcome extends Answer permits EngineDecision, EngineFailure {}
