package io.sluice.spring.internal;

import io.sluice.core.history.HistoryListener;
import io.sluice.core.time.Clock;
import io.sluice.redis.RedisEngine;
import io.sluice.redis.internal.link.RedisOptions;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Counts in the Redis of {@code test.redis}, which is there from the first decision on. */
@Configuration(proxyBeanMethods = false)
public class RedisBeans {

    @Bean
    RedisEngine engine(Environment environment, Clock clock, ObjectProvider<HistoryListener> history) {
        // Never takes a slow machine for a Redis that hangs.
        RedisOptions patient = RedisOptions.defaults().slow(Duration.ofMinutes(1));
        HistoryListener heard = history.getIfAvailable();
        RedisEngine engine = RedisEngine.connect(
                environment.getRequiredProperty("test.redis"),
                "rate_limit",
                clock,
                heard == null ? patient : patient.recording(heard));
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(engine::isReady);
        return engine;
    }
}
