package io.sluice.core.spi;

/** An answer that has arrived: the engine decided, or it says that it could not. */
public sealed interface Outcome extends Answer permits EngineDecision, EngineFailure {}
