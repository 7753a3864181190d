package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.spi.Engine;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.redis.store.StoreVitals;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.redis.RedisConnection;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StorePulseTest {

    /** Only ends tests that hang. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Duration PAUSE = Duration.ofSeconds(3);

    private final ManualClock clock = QuietClock.at(0);
    private final AtomicInteger polls = new AtomicInteger();
    private RedisServer redis;
    private Store store;
    private StorePulse pulse;

    @BeforeEach
    void open() {
        redis = RedisServer.start();
        store = Store.redis(redis.uri(), "test", Clock.system(), StoreListener.NONE);
        store.ready().toCompletableFuture().join();
        pulse = new StorePulse(counted(store), clock);
    }

    @AfterEach
    void close() {
        pulse.close();
        store.engine().close();
        redis.close();
    }

    @Test
    void followsTheFiguresOfTheServer() {
        assertThat(pulse.last()).isEmpty();

        pulse.start();
        poll("figures", () -> pulse.last().isPresent());
        StoreVitals first = pulse.last().orElseThrow();
        assertThat(first.connectedClients()).isPositive();
        assertThat(first.usedMemoryBytes()).isPositive();

        List<RedisConnection> more = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            more.add(redis.connect());
        }
        poll("ten more clients", () -> pulse.last()
                .filter(vitals -> vitals.connectedClients() >= first.connectedClients() + 10)
                .isPresent());
        more.forEach(RedisConnection::close);
    }

    @Test
    void hasNoFiguresWhileTheStoreIsUnavailable() {
        pulse.start();
        poll("figures", () -> pulse.last().isPresent());

        redis.kill();
        poll("no figures", () -> pulse.last().isEmpty());
        redis.restart();
        poll("figures again", () -> pulse.last().isPresent());
    }

    @Test
    void hasNoFiguresIfTheServerDoesNotPermitTheCommand() {
        pulse.start();
        poll("figures", () -> pulse.last().isPresent());

        redis.command("ACL", "SETUSER", "default", "-info");
        poll("no figures", () -> pulse.last().isEmpty());
    }

    @Test
    void pollsEveryThreeSecondsUntilItIsClosed() {
        pulse.start();
        assertThat(polls).hasValue(1);
        clock.advance(PAUSE.minusNanos(1));
        assertThat(polls).hasValue(1);
        clock.advance(Duration.ofNanos(1));
        assertThat(polls).hasValue(2);

        pulse.close();
        clock.advance(Duration.ofHours(1));
        assertThat(polls).hasValue(2);
    }

    /** Advances time until the condition is true. Redis answers whenever it can. */
    private void poll(String what, BooleanSupplier condition) {
        Await.until(what, PATIENCE, () -> {
            clock.advance(PAUSE);
            return condition.getAsBoolean();
        });
    }

    private Store counted(Store inner) {
        return new Store() {
            @Override
            public Engine engine() {
                return inner.engine();
            }

            @Override
            public boolean isReady() {
                return inner.isReady();
            }

            @Override
            public CompletionStage<Void> ready() {
                return inner.ready();
            }

            @Override
            public StoreState state() {
                return inner.state();
            }

            @Override
            public List<String> findings() {
                return inner.findings();
            }

            @Override
            public CompletionStage<StoreVitals> vitals() {
                polls.incrementAndGet();
                return inner.vitals();
            }
        };
    }
}
