package io.sluice.spring.boot;

import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.PathForm;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Adds the endpoint of Sluice to Spring Boot's actuator. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnBean(SluiceState.class)
public final class SluiceActuatorAutoConfiguration {

    /** The actuator endpoint. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static final class ActuatorEndpoint {

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        SluiceEndpoint sluiceEndpoint(SluiceState state, Evaluator evaluator, PathForm paths) {
            return new SluiceEndpoint(state, evaluator, paths);
        }
    }
}
