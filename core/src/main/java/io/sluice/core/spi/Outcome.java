package io.sluice.core.spi;

/** An answer that has arrived: either the engine decided, or it could not. */
public sealed interface Outcome extends Answer permits EngineDecision, EngineFailure {}
