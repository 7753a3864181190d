package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.spi.Engine;
import io.sluice.testkit.engine.EngineUnderTest;
import io.sluice.testkit.engine.SettlementConformance;
import io.sluice.testkit.redis.RedisReply;
import io.sluice.testkit.redis.RedisServer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;

/**
 * The suite that every engine passes, on Redis. To connect costs more than most tests, so a test takes the engine that an earlier one has
 * left. The counts of that one are deleted.
 */
abstract class RedisConformance extends SettlementConformance {

    private static final String DELETE =
            "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end return 'OK'";

    private static final AtomicInteger PREFIXES = new AtomicInteger();

    /** What the tests of one class have left. */
    private static final Deque<Connected> LEFT = new ArrayDeque<>();

    /** Connects an engine that decides by the given time. The names of its counts contain the prefix. */
    abstract RedisEngine connect(String prefix, Supplier<String> time);

    /** Returns the servers that may hold counts. */
    abstract List<RedisServer> servers();

    Engine inFrontOf(RedisEngine engine) {
        return engine;
    }

    @Override
    protected final EngineUnderTest start() throws Exception {
        Connected engine = LEFT.isEmpty() ? new Connected("suite" + PREFIXES.incrementAndGet() + ".") : LEFT.remove();
        engine.redis.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return engine;
    }

    @AfterAll
    static void closeEngines() {
        LEFT.forEach(each -> each.front.close());
        LEFT.clear();
    }

    private final class Connected implements EngineUnderTest {

        private final AtomicLong micros = new AtomicLong();
        private final String prefix;
        private final RedisEngine redis;
        private final Engine front;

        Connected(String prefix) {
            this.prefix = prefix;
            this.redis = connect(prefix, () -> Long.toString(micros.get()));
            this.front = inFrontOf(redis);
        }

        @Override
        public Engine engine() {
            return front;
        }

        @Override
        public void setMicros(long epochMicros) {
            micros.set(epochMicros);
        }

        @Override
        public void close() {
            if (!redis.isReady()) {
                front.close();
                return;
            }
            for (RedisServer server : servers()) {
                assertThat(server.command("EVAL", DELETE, "0", "*" + prefix + "*"))
                        .isNotInstanceOf(RedisReply.Failure.class);
            }
            LEFT.add(this);
        }
    }
}
