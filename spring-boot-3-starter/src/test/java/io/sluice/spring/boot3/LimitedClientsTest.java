package io.sluice.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.internal.Party;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** The builders of Spring Boot 3.5 make clients that obey the configured limits. */
@Timeout(300)
class LimitedClientsTest {

    private final Party party = new Party();

    @AfterEach
    void close() {
        party.close();
    }

    enum Client {
        REST_CLIENT,
        REST_TEMPLATE,
        WEB_CLIENT;

        void call(ConfigurableApplicationContext app, String uri) {
            switch (this) {
                case REST_CLIENT ->
                    app.getBean(RestClient.Builder.class)
                            .build()
                            .get()
                            .uri(uri)
                            .retrieve()
                            .toBodilessEntity();
                case REST_TEMPLATE ->
                    app.getBean(RestTemplateBuilder.class).build().getForEntity(uri, String.class);
                case WEB_CLIENT ->
                    app.getBean(WebClient.Builder.class)
                            .build()
                            .get()
                            .uri(uri)
                            .retrieve()
                            .toBodilessEntity()
                            .block(Duration.ofMinutes(1));
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration")
    static class Application {}

    @Test
    void everyBuilderMakesLimitedClients() {
        try (ConfigurableApplicationContext app = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.main.banner-mode=off",
                        "--spring.cloud.gateway.server.webflux.enabled=false",
                        "--sluice.outbound.party.hosts=127.0.0.1",
                        "--sluice.outbound.party.at-most=3/h",
                        "--sluice.outbound.party.max-wait=0")) {
            for (Client client : Client.values()) {
                client.call(app, party.uri());
            }
            for (Client client : Client.values()) {
                assertThatThrownBy(() -> client.call(app, party.uri()))
                        .as("%s", client)
                        .isInstanceOf(RateLimitExceededException.class);
            }
            assertThat(party.paths()).hasSize(3);
        }
    }
}
