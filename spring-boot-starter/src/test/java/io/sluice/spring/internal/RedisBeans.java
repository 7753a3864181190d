package io.sluice.spring.internal;

import io.sluice.core.time.Clock;
import io.sluice.redis.RedisEngine;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Counts in the Redis of {@code test.redis}, which is there from the first decision on. */
@Configuration(proxyBeanMethods = false)
public class RedisBeans {

    @Bean
    RedisEngine engine(Environment environment, Clock clock) {
        RedisEngine engine = RedisEngine.connect(environment.getRequiredProperty("test.redis"), "rate_limit", clock);
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(engine::isReady);
        return engine;
    }
}
