package io.sluice.benchmarks;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.history.HistoryWriter;
import io.sluice.redis.RedisStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Sluice on Redis, called as its users call it. */
final class RedisSluice implements Contender {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** The bytes of a reservation's name, as many as an evaluator gives it. */
    static final int SETTLEMENT_NAME = 22;

    private static final long WITHIN_MICROS = TimeUnit.MINUTES.toMicros(5);

    private final RedisStore store;
    private final Limiter limiter;
    private final Function<String, List<Demand>> demands;
    private final AutoCloseable after;

    private RedisSluice(RedisStore store, Function<String, List<Demand>> demands) {
        this(store, demands, () -> {});
    }

    private RedisSluice(RedisStore store, Function<String, List<Demand>> demands, AutoCloseable after) {
        store.ready().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
        this.store = store;
        this.limiter = store.limiter();
        this.demands = demands;
        this.after = after;
    }

    /** Returns the options for the engine alone, so that each decision is made in Redis. */
    private static RedisStore.Builder bare(String uri) {
        return RedisStore.at(uri)
                .prefix("sluice")
                .rememberedRefusals(false)
                .leases(false)
                .guard(false);
    }

    static Contender coalesced(String uri) {
        return new RedisSluice(bare(uri).open(), RedisSluice::one);
    }

    /**
     * Decides about the given demands.
     *
     * @param coalescing whether decisions of the same moment are sent together
     */
    static Contender deciding(String uri, boolean coalescing, Function<String, List<Demand>> demands) {
        return new RedisSluice(bare(uri).coalescing(coalescing).open(), demands);
    }

    /** Reserves permits and settles them with half of their number, like a request whose cost is known afterwards. */
    static Contender settling(String uri, boolean coalescing, Function<String, List<Demand>> demands) {
        RedisSluice sluice = new RedisSluice(bare(uri).coalescing(coalescing).open(), demands);
        String run = UUID.randomUUID().toString().substring(0, SETTLEMENT_NAME - 10);
        AtomicLong ids = new AtomicLong();
        return new Contender() {
            @Override
            public void decide(String key) {
                decideAsync(key).toCompletableFuture().join();
            }

            @Override
            public CompletionStage<?> decideAsync(String key) {
                return sluice.decideAsync(demands.apply(key)).thenCompose(decision -> {
                    String id = String.format(Locale.ROOT, "%s-%09d", run, ids.incrementAndGet());
                    List<Settlement> settlements = decision.outcome().charges(decision.ask()).stream()
                            .map(charge -> Settlement.of(charge, charge.permits() / 2, id, WITHIN_MICROS))
                            .toList();
                    return sluice.limiter.settle(settlements, PATIENCE).thenAccept(RedisSluice::checkSettled);
                });
            }

            @Override
            public void close() {
                sluice.close();
            }
        };
    }

    private static void checkSettled(List<SettlementResult> results) {
        if (results.stream().anyMatch(result -> result.kind() != SettlementResult.Kind.SETTLED)) {
            throw new IllegalStateException("not settled by Redis: " + results);
        }
    }

    static Contender single(String uri) {
        return new RedisSluice(bare(uri).coalescing(false).open(), RedisSluice::one);
    }

    /** Writes every step and every answer to a file. */
    static Contender recorded(String uri) {
        HistoryWriter history = history();
        return new RedisSluice(bare(uri).recording(history).open(), RedisSluice::one, history);
    }

    static Contender leasedAndRecorded(String uri) {
        HistoryWriter history = history();
        return new RedisSluice(bare(uri).leases(true).recording(history).open(), leasing(0), history);
    }

    private static HistoryWriter history() {
        try {
            Path folder = Files.createTempDirectory("sluice-bench");
            folder.toFile().deleteOnExit();
            Path file = folder.resolve("history");
            file.toFile().deleteOnExit();
            return HistoryWriter.open(file, "bench");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Decides with leases.
     *
     * @param size the size of a lease; 0 if it follows the rate of each key
     */
    static Contender leased(String uri, long size) {
        return new RedisSluice(bare(uri).leases(true).open(), leasing(size));
    }

    private static Function<String, List<Demand>> leasing(long size) {
        LeasePolicy policy = new LeasePolicy(size, 0.5, 1_000_000);
        Map<String, List<Demand>> demands = new HashMap<>();
        for (String key : LoadShape.allKeys()) {
            demands.put(key, List.of(Demand.of(Workload.ONE, key, 1).leasedBy(policy)));
        }
        return demands::get;
    }

    /** Decides four levels in one decision. */
    static Contender four(String uri) {
        return new RedisSluice(bare(uri).open(), RedisSluice::levels);
    }

    /** Decides four levels in one decision, with a call for each decision. */
    static Contender fourSingle(String uri) {
        return new RedisSluice(bare(uri).coalescing(false).open(), RedisSluice::levels);
    }

    /** Decides four levels in four calls, one after the other. */
    static Contender fourCalls(String uri) {
        RedisSluice each = new RedisSluice(bare(uri).coalescing(false).open(), RedisSluice::levels);
        return new Contender() {
            @Override
            public void decide(String key) {
                levels(key).forEach(demand -> each.decide(List.of(demand)));
            }

            @Override
            public CompletionStage<?> decideAsync(String key) {
                List<Demand> levels = levels(key);
                CompletionStage<Decision> last = each.decideAsync(List.of(levels.get(0)));
                for (Demand demand : levels.subList(1, levels.size())) {
                    last = last.thenCompose(before -> each.decideAsync(List.of(demand)));
                }
                return last;
            }

            @Override
            public void close() {
                each.close();
            }
        };
    }

    @Override
    public void decide(String key) {
        decide(demands.apply(key));
    }

    @Override
    public CompletionStage<?> decideAsync(String key) {
        return decideAsync(demands.apply(key));
    }

    @Override
    public void close() {
        store.close();
        try {
            after.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void decide(List<Demand> demands) {
        checked(limiter.decide(ask(demands)));
    }

    private CompletionStage<Decision> decideAsync(List<Demand> demands) {
        return limiter.decideAsync(ask(demands)).thenApply(RedisSluice::checked);
    }

    private Ask ask(List<Demand> demands) {
        return Ask.charging(demands).dueAt(limiter.dueIn(PATIENCE));
    }

    private static Decision checked(Decision decision) {
        if (decision.degraded() != null || !decision.allowed()) {
            throw new IllegalStateException("not allowed by Redis: " + decision);
        }
        return decision;
    }

    private static List<Demand> one(String key) {
        return List.of(Demand.of(Workload.ONE, key, 1));
    }

    static List<Demand> levels(String key) {
        return List.of(
                Workload.FOUR.get(0),
                Workload.FOUR.get(1),
                Workload.FOUR.get(2),
                Demand.of(Workload.FOUR.get(3).limit(), key, 1));
    }
}
