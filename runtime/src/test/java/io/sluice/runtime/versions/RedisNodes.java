package io.sluice.runtime.versions;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.redis.RedisStore;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Nodes that decide on one Redis and record what they do. */
final class RedisNodes implements AutoCloseable {

    private final RedisServer redis = RedisServer.shared();
    private final SharedHistory history;
    private final List<RedisStore> stores = new ArrayList<>();
    private final List<Evaluator> evaluators = new ArrayList<>();

    RedisNodes(SharedHistory history) {
        this.history = history;
    }

    /** Starts one more node. Nodes share counts if they have the same prefix. */
    void add(String prefix, Supplier<RuleSet> rules) throws Exception {
        RedisStore store = RedisStore.at(redis.uri())
                .prefix(prefix)
                .slow(Duration.ofMinutes(1))
                .recording(history.node())
                .open();
        stores.add(store);
        store.ready().toCompletableFuture().get(5, TimeUnit.MINUTES);
        Clock clock = Clock.system();
        evaluators.add(new Evaluator(
                rules,
                new Limiter(new LocalEngine(clock), clock, List.of()),
                store.limiter(),
                KeySettings.ofThisProcess(),
                clock,
                (ruling, nanos) -> {}));
    }

    List<Evaluator> evaluators() {
        return evaluators;
    }

    /** Stops all nodes. They return the permits that they have leased. */
    @Override
    public void close() {
        stores.forEach(RedisStore::close);
    }
}
