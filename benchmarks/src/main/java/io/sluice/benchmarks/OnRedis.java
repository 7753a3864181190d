package io.sluice.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.redis.RedisStore;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Decisions of one blocking caller on a real Redis over the loopback interface. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class OnRedis {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final RedisServer server = RedisServer.start();
    private final RedisClient client = RedisClient.create(server.uri());
    private final RedisCommands<String, String> redis = client.connect().sync();
    private final String trivial = redis.scriptLoad("return 1");
    private final RedisStore store = RedisStore.at(server.uri())
            .prefix("bench")
            .rememberedRefusals(false)
            .leases(false)
            .guard(false)
            .open();
    private final Limiter limiter = store.limiter();

    @Setup
    public void awaitRedis() throws Exception {
        store.ready().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    @TearDown
    public void stop() {
        store.close();
        client.shutdown(0, 1, TimeUnit.SECONDS);
        server.close();
    }

    /** The minimum cost of a scripted decision: a round trip and a script that does nothing. */
    @Benchmark
    public Long floor() {
        return redis.evalsha(trivial, ScriptOutputType.INTEGER, "bench:one:tb:203.0.113.7");
    }

    @Benchmark
    public Decision sluiceOne() {
        return decide(List.of(Demand.of(Workload.ONE, "203.0.113.7", 1)));
    }

    @Benchmark
    public Decision sluiceFour() {
        return decide(Workload.FOUR);
    }

    /** Decides four levels with a separate call for each. */
    @Benchmark
    public boolean sluiceFourCalls() {
        boolean allowed = true;
        for (Demand demand : Workload.FOUR) {
            allowed &= decide(List.of(demand)).allowed();
        }
        return allowed;
    }

    private Decision decide(List<Demand> demands) {
        Decision decision = limiter.decide(Ask.charging(demands).dueAt(limiter.dueIn(PATIENCE)));
        if (decision.degraded() != null) {
            throw new IllegalStateException("not decided by Redis: " + decision);
        }
        return decision;
    }
}
