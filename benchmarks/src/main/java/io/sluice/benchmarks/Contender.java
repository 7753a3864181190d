package io.sluice.benchmarks;

import java.util.concurrent.CompletionStage;

/** Somebody who decides on Redis: blocking, as its users would, and without. Every decision is expected to be allowed. */
interface Contender extends AutoCloseable {

    void decide(String key);

    CompletionStage<?> decideAsync(String key);

    @Override
    void close();
}
