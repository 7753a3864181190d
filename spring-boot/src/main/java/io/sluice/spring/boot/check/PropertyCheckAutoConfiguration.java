package io.sluice.spring.boot.check;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/** Stops the startup, before any bean is created, if there are unknown properties under {@code sluice}. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "sluice.enabled", matchIfMissing = true)
public final class PropertyCheckAutoConfiguration {

    @Bean
    static BeanFactoryPostProcessor sluicePropertyCheck(ConfigurableEnvironment environment) {
        return beans -> {
            PropertyCheck check = new PropertyCheck();
            check.check(environment);
            check.hideForeignVariables(environment);
        };
    }
}
