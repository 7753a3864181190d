package io.sluice.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Measures the heap per key after one use, without the text of the key, at a million keys. */
final class BytesPerKey {

    private static final int KEYS = 1_000_000;

    private BytesPerKey() {}

    static Map<String, Double> measure() {
        String[] keys = new String[KEYS];
        for (int i = 0; i < KEYS; i++) {
            keys[i] = "user-" + i;
        }
        Map<String, Double> bytes = new LinkedHashMap<>();
        bytes.put("Sluice", bytes(() -> sluice(keys)));
        bytes.put("ConcurrentHashMap + Guava", bytes(() -> guava(keys)));
        bytes.put("ConcurrentHashMap + Bucket4j", bytes(() -> bucket4j(keys)));
        if (keys[KEYS - 1].isEmpty()) {
            throw new IllegalStateException("the keys must stay reachable during the measurement");
        }
        return bytes;
    }

    private static Object sluice(String[] keys) {
        LocalEngine engine =
                LocalEngine.builder().clock(Clock.system()).maxKeys(KEYS).build();
        Limit limit = Limit.named("idle").tokenBucket(Rate.perDay(1)).withBurst(10);
        for (String key : keys) {
            engine.decide(Ask.charging(List.of(Demand.of(limit, key, 1))));
        }
        if (engine.keys() != KEYS) {
            throw new IllegalStateException(engine.keys() + " keys");
        }
        return engine;
    }

    private static Object guava(String[] keys) {
        Map<String, RateLimiter> limiters = new ConcurrentHashMap<>();
        for (String key : keys) {
            RateLimiter limiter = RateLimiter.create(10);
            boolean unused = limiter.tryAcquire();
            limiters.put(key, limiter);
        }
        return limiters;
    }

    private static Object bucket4j(String[] keys) {
        Map<String, Object> buckets = new ConcurrentHashMap<>();
        for (String key : keys) {
            var bucket = Peers.bucket4j(10);
            bucket.tryConsume(1);
            buckets.put(key, bucket);
        }
        return buckets;
    }

    private static double bytes(Supplier<Object> maker) {
        long before = heap();
        Object made = maker.get();
        long after = heap();
        if (made.hashCode() == 42) {
            System.out.print(""); // keeps the object reachable until here
        }
        return (double) (after - before) / KEYS;
    }

    private static long heap() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
