package io.sluice.benchmarks;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Other limiters that decide on Redis, each with a limit that lets every request pass. */
final class RedisPeers {

    /**
     * The algorithm of Spring Cloud Gateway's limiter, rewritten. The tokens and the second at which they were counted have a key
     * each, which expires after twice the time that the bucket needs to fill.
     */
    private static final String GATEWAY = """
            local rate, capacity, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
            local now = tonumber(redis.call('TIME')[1])
            local life = math.floor(capacity / rate * 2)
            local tokens = tonumber(redis.call('GET', KEYS[1])) or capacity
            local counted = tonumber(redis.call('GET', KEYS[2])) or 0
            tokens = math.min(capacity, tokens + math.max(0, now - counted) * rate)
            local allowed = tokens >= wanted
            if allowed then
              tokens = tokens - wanted
            end
            if life > 0 then
              redis.call('SETEX', KEYS[1], life, tokens)
              redis.call('SETEX', KEYS[2], life, now)
            end
            return {allowed and 1 or 0, tokens}
            """;

    private static final String STATE_ONLY = """
            local now = redis.call('TIME')
            redis.call('GET', KEYS[1])
            redis.call('SET', KEYS[1], now[1] .. now[2], 'PX', 60000)
            return 1
            """;

    private RedisPeers() {}

    /** The minimum cost of a scripted decision: a round trip and a script that does nothing. */
    static Contender trivial(String uri) {
        return script(uri, "return 1", ScriptOutputType.INTEGER, false);
    }

    /** The minimum cost of a decision whose state is a value that expires: the three commands, without any arithmetic. */
    static Contender stateOnly(String uri) {
        return script(uri, STATE_ONLY, ScriptOutputType.INTEGER, false);
    }

    static Contender gateway(String uri) {
        return script(uri, GATEWAY, ScriptOutputType.MULTI, true);
    }

    private static Contender script(String uri, String text, ScriptOutputType type, boolean twoKeys) {
        RedisClient client = RedisClient.create(uri);
        StatefulRedisConnection<String, String> redis = client.connect();
        String sha = redis.sync().scriptLoad(text);
        return new Contender() {
            @Override
            public void decide(String key) {
                decideAsync(key).toCompletableFuture().join();
            }

            @Override
            public CompletionStage<?> decideAsync(String key) {
                String name = "script:" + key;
                return twoKeys
                        ? redis.async()
                                .evalsha(
                                        sha,
                                        type,
                                        new String[] {name + ".tokens", name + ".timestamp"},
                                        "1000000000",
                                        "1000000000",
                                        "1")
                        : redis.async().evalsha(sha, type, name);
            }

            @Override
            public void close() {
                client.shutdown(0, 1, TimeUnit.SECONDS);
            }
        };
    }

    static Contender bucket4j(String uri) {
        RedisClient client = RedisClient.create(uri);
        ProxyManager<String> buckets = Bucket4jLettuce.casBasedBuilder(
                        client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(1)))
                .build();
        BucketConfiguration plenty = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(Peers.PLENTY).refillGreedy(Peers.PLENTY, Duration.ofSeconds(1)))
                .build();
        return new Contender() {
            @Override
            public void decide(String key) {
                buckets.builder().build("bucket4j:" + key, () -> plenty).tryConsume(1);
            }

            @Override
            public CompletionStage<?> decideAsync(String key) {
                return buckets.asAsync()
                        .builder()
                        .build("bucket4j:" + key, () -> CompletableFuture.completedFuture(plenty))
                        .tryConsume(1);
            }

            @Override
            public void close() {
                client.shutdown(0, 1, TimeUnit.SECONDS);
            }
        };
    }

    static Contender redisson(String uri) {
        Config config = new Config();
        config.useSingleServer().setAddress(uri);
        RedissonClient redisson = Redisson.create(config);
        Map<String, RRateLimiter> limiters = new HashMap<>();
        for (String key : LoadShape.allKeys()) {
            RRateLimiter limiter = redisson.getRateLimiter("redisson:" + key);
            limiter.trySetRate(RateType.OVERALL, 1_000_000, Duration.ofSeconds(1));
            limiters.put(key, limiter);
        }
        return new Contender() {
            private RRateLimiter limiter(String key) {
                return Objects.requireNonNull(limiters.get(key));
            }

            @Override
            public void decide(String key) {
                limiter(key).tryAcquire(1);
            }

            @Override
            public CompletionStage<?> decideAsync(String key) {
                return limiter(key).tryAcquireAsync(1);
            }

            @Override
            public void close() {
                redisson.shutdown(0, 1, TimeUnit.SECONDS);
            }
        };
    }
}
