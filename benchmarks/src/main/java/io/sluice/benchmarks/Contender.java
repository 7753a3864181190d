package io.sluice.benchmarks;

import java.util.concurrent.CompletionStage;

/** A limiter that decides on Redis, by blocking or by asynchronous calls. It is expected to allow every request. */
interface Contender extends AutoCloseable {

    void decide(String key);

    CompletionStage<?> decideAsync(String key);

    @Override
    void close();
}
