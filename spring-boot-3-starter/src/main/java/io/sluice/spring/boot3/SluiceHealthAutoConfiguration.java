package io.sluice.spring.boot3;

import io.sluice.spring.boot.SluiceAutoConfiguration;
import io.sluice.spring.boot.SluiceState;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.autoconfigure.health.HealthEndpointProperties;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.SimpleStatusAggregator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.actuate.health.StatusAggregator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Adds the limiter to the health of the application. */
@AutoConfiguration(
        after = SluiceAutoConfiguration.class,
        beforeName = "org.springframework.boot.actuate.autoconfigure.health.HealthEndpointAutoConfiguration")
@ConditionalOnBean(SluiceState.class)
public final class SluiceHealthAutoConfiguration {

    /** The health indicator. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("sluice")
    static final class Indicator {

        @Bean
        @ConditionalOnMissingBean(name = "sluiceHealthIndicator")
        HealthIndicator sluiceHealthIndicator(SluiceState state) {
            return new SluiceHealthIndicator(state);
        }
    }

    /** The order of health statuses. Boot's own order does not include {@code DEGRADED} and would hide it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({StatusAggregator.class, HealthEndpointProperties.class})
    @ConditionalOnEnabledHealthIndicator("sluice")
    static final class Order {

        @Bean
        @ConditionalOnMissingBean
        StatusAggregator sluiceStatusAggregator(ObjectProvider<HealthEndpointProperties> properties) {
            HealthEndpointProperties own = properties.getIfAvailable();
            List<String> order = own == null ? List.of() : own.getStatus().getOrder();
            return order.isEmpty()
                    ? new SimpleStatusAggregator(
                            Status.DOWN,
                            Status.OUT_OF_SERVICE,
                            SluiceHealthIndicator.DEGRADED,
                            Status.UP,
                            Status.UNKNOWN)
                    : new SimpleStatusAggregator(order);
        }
    }
}
