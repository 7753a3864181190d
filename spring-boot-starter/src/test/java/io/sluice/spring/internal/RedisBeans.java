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

/** Counts in the Redis at {@code test.redis}, which is ready at the first decision. */
@Configuration(proxyBeanMethods = false)
public class RedisBeans {

    /** The engine without decorators: these tests count in Redis itself. */
    @Bean
    RedisStore store(Environment environment, Clock clock, ObjectProvider<HistoryListener> history) {
        // Never mistakes a slow machine for a hanging Redis.
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
