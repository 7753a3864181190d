package io.sluice.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.boot.StoreChoice;
import io.sluice.spring.boot.store.StoreAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

class DataRedisFinderTest {

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, RedisAutoConfiguration.class))
            .withUserConfiguration(Found.class);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spring.data.redis.host=r | redis://r:6379/0",
                "spring.data.redis.port=7000 | redis://localhost:7000/0",
                "spring.data.redis.host=::1 | redis://[::1]:6379/0",
                "spring.data.redis.url=redis://u:p@r:7000/3 | redis://u:p@r:7000/3",
                "spring.data.redis.url=rediss://r:7000 | rediss://r:7000/0",
                "spring.data.redis.host=r,spring.data.redis.password=a/b@c d,spring.data.redis.database=2"
                        + " | redis://:a%2Fb%40c%20d@r:6379/2",
                "spring.data.redis.host=r,spring.data.redis.ssl.enabled=true | rediss://r:6379/0",
                "spring.data.redis.cluster.nodes[0]=a:1,spring.data.redis.cluster.nodes[1]=b:2,spring.data.redis.password=p"
                        + " | redis-cluster://:p@a:1;b:2",
                "spring.data.redis.sentinel.master=m,spring.data.redis.sentinel.nodes[0]=a:1,spring.data.redis.sentinel.nodes[1]=b:2"
                        + " | redis-sentinel://a:1;b:2/0#m",
            })
    void usesTheAddressOfSpringData(String properties, String uri) {
        contexts.withPropertyValues(properties.split(",")).run(context -> assertThat(context.getBean(StoreChoice.class)
                        .address()
                        .orElseThrow()
                        .uri())
                .isEqualTo(uri.replace(';', ',')));
    }

    @Test
    void usesABeanWithConnectionDetails() {
        contexts.withBean(RedisConnectionDetails.class, () -> new RedisConnectionDetails() {
                    @Override
                    public Standalone getStandalone() {
                        return Standalone.of("container", 32768);
                    }
                })
                .run(context -> assertThat(context.getBean(StoreChoice.class).address())
                        .contains(new StoreAddress("redis://container:32768/0", "connection details")));
    }

    @Test
    void ignoresTheDefaultAddress() {
        contexts.withPropertyValues("spring.data.redis.timeout=1s", "spring.data.redis.lettuce.pool.max-active=3")
                .run(context ->
                        assertThat(context.getBean(StoreChoice.class).address()).isEmpty());
    }

    @Configuration(proxyBeanMethods = false)
    static class Found {
        @Bean
        StoreChoice choice(ObjectProvider<RedisConnectionDetails> details, ConfigurableEnvironment environment) {
            return new StoreChoice(DataRedisFinder.read(details.getObject()).address(environment));
        }
    }
}
