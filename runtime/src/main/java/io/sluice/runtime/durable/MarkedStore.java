package io.sluice.runtime.durable;

import io.sluice.core.spi.Engine;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A shared engine that can be marked, so that the loss of its data is detected. Thread-safe. */
public interface MarkedStore {

    Engine engine();

    /** Returns whether the engine can decide now. */
    boolean isReady();

    /** Returns the mark of this name, and sets the proposed mark if there is none. The mark lives as long as the data of the store. */
    default CompletionStage<byte[]> mark(String name, byte[] proposed) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }

    /** Returns the mark of this name; empty if there is none. */
    default CompletionStage<Optional<byte[]>> markOf(String name) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }
}
