package io.sluice.spring.internal;

import io.sluice.core.history.HistoryListener;
import io.sluice.core.time.Clock;
import io.sluice.redis.RedisStore;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Counts in the Redis of {@code test.redis}, which is there from the first decision on. */
@Configuration(proxyBeanMethods = false)
public class RedisBeans {

    /** The engine alone: what is tested counts in Redis itself. */
    @Bean
    RedisStore store(Environment environment, Clock clock, ObjectProvider<HistoryListener> history) {
        // Never takes a slow machine for a Redis that hangs.
        RedisStore.Builder patient = RedisStore.at(environment.getRequiredProperty("test.redis"))
                .clock(clock)
                .slow(Duration.ofMinutes(1))
                .rememberedRefusals(false)
                .leases(false)
                .guard(false);
        HistoryListener heard = history.getIfAvailable();
        RedisStore store = (heard == null ? patient : patient.recording(heard)).open();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(store::isReady);
        return store;
    }
}
