package io.sluice.benchmarks.keep;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.RedisStore;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A rule whose limit all classes share, and what passes it under an {@link Overload}. Immutable. */
final class SharedLimit {

    private static final int MOST_IN_FLIGHT = 2_000;
    private static final Map<Plan, Attributes> REQUESTS = new EnumMap<>(Plan.class);

    static {
        for (Plan plan : Plan.values()) {
            REQUESTS.put(plan, Attributes.of(Map.of("plan", plan.word())));
        }
    }

    private final RuleSet rules;

    private SharedLimit(String document) {
        if (!(RuleDocument.parse("capacity.yaml", document) instanceof RuleDocument.Accepted accepted)) {
            throw new IllegalArgumentException("refused: " + document);
        }
        this.rules = new RuleSet(1, accepted.rules());
    }

    /**
     * Creates a limit.
     *
     * @param numbers the limit as a rule states it
     * @param free what the class {@code free} keeps for others, such as {@code 20%}
     * @param batch what the class {@code batch} keeps for others
     */
    static SharedLimit of(String numbers, String free, String batch) {
        return new SharedLimit(String.format(Locale.ROOT, """
                rules:
                  - id: capacity
                    on_failure: closed
                    deadline: 2s
                    limits:
                      - { id: all, %s }
                    overrides:
                      - { when: { plan: batch }, of: all, keep: %s }
                      - { when: { plan: free }, of: all, keep: %s }
                """, numbers, batch, free));
    }

    /** Runs on a clock that is set to the moment of each request. The same requests give the same result. */
    Shares onManualClock(Overload overload) {
        ManualClock clock = ManualClock.at(1_800_000_000_000_000L);
        Shares shares = new Shares(overload.seconds());
        Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
        Evaluator evaluator = evaluator(local, null, clock);
        AtomicLong now = new AtomicLong();
        overload.requests((micros, plan) -> {
            clock.advance(Duration.ofNanos(1_000 * (micros - now.getAndSet(micros))));
            Settled ruling = (Settled)
                    evaluator.evaluate(request(plan), 1).toCompletableFuture().join();
            shares.add(plan, (int) (micros / 1_000_000), ruling.allowed());
        });
        return shares;
    }

    /** Runs in real time on Redis. A request that comes late because the machine is busy counts for the second in which it was due. */
    Shares onRedis(String uri, Overload overload) throws InterruptedException {
        Clock clock = Clock.system();
        Shares shares = new Shares(overload.seconds());
        Semaphore inFlight = new Semaphore(MOST_IN_FLIGHT);
        try (RedisStore store = RedisStore.at(uri).prefix("keep").open()) {
            store.ready().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
            Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
            Evaluator evaluator = evaluator(local, store.limiter(), clock);
            long start = clock.nanoTime();
            overload.requests((micros, plan) -> {
                for (long left = 1; left > 0; ) {
                    left = start + 1_000 * micros - clock.nanoTime();
                    if (left > 0) {
                        LockSupport.parkNanos(left);
                    }
                }
                inFlight.acquireUninterruptibly();
                evaluator.evaluate(request(plan), 1).whenComplete((ruling, failure) -> {
                    inFlight.release();
                    boolean passed = failure == null && ((Settled) ruling).allowed();
                    shares.add(plan, (int) (micros / 1_000_000), passed);
                });
            });
            inFlight.acquire(MOST_IN_FLIGHT);
        }
        return shares;
    }

    private Evaluator evaluator(Limiter local, @Nullable Limiter shared, Clock clock) {
        return new Evaluator(
                () -> rules, local, shared, KeySettings.ofThisProcess(), clock, (Settled ruled, long nanos) -> {});
    }

    @SuppressWarnings("NullAway") // the table has every class
    private static Attributes request(Plan plan) {
        return REQUESTS.get(plan);
    }
}
