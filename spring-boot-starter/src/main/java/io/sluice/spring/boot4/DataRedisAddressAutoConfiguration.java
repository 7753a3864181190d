package io.sluice.spring.boot4;

import io.sluice.spring.boot.SluiceAutoConfiguration;
import io.sluice.spring.boot.store.StoreAddressFinder;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/** Finds the Redis that the application already uses through Spring Data. */
@AutoConfiguration(before = SluiceAutoConfiguration.class)
@ConditionalOnClass(DataRedisConnectionDetails.class)
@ConditionalOnBooleanProperty(name = "sluice.enabled", matchIfMissing = true)
public final class DataRedisAddressAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    StoreAddressFinder sluiceDataRedisAddress(
            ObjectProvider<DataRedisConnectionDetails> details, ConfigurableEnvironment environment) {
        return () -> Optional.ofNullable(details.getIfUnique())
                .flatMap(found -> DataRedisFinder.read(found).address(environment));
    }
}
