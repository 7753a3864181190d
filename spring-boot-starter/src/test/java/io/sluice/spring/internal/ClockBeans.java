package io.sluice.spring.internal;

import io.sluice.core.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The clock of this machine. */
@Configuration(proxyBeanMethods = false)
public class ClockBeans {

    @Bean
    Clock clock() {
        return Clock.system();
    }
}
