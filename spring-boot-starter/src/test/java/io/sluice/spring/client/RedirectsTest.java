package io.sluice.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.boot.client.ClientLimitAutoConfiguration;
import io.sluice.spring.boot4.ClientCustomizerAutoConfiguration;
import io.sluice.spring.internal.ClockBeans;
import io.sluice.spring.internal.EngineBeans;
import io.sluice.spring.internal.Party;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Redirects are calls too. Those that the client follows itself are not counted; following can be disabled for all clients. */
@Timeout(300)
class RedirectsTest {

    private final Party party = new Party();

    enum Client {
        REST_CLIENT_OF_THE_JDK("jdk"),
        REST_CLIENT_OF_REACTOR("reactor"),
        REST_TEMPLATE("simple"),
        WEB_CLIENT("jdk");

        private final String factory;

        Client(String factory) {
            this.factory = factory;
        }

        ResponseEntity<?> get(ConfigurableApplicationContext instance, String uri) {
            return switch (this) {
                case REST_CLIENT_OF_THE_JDK, REST_CLIENT_OF_REACTOR ->
                    instance.getBean(RestClient.Builder.class)
                            .build()
                            .get()
                            .uri(uri)
                            .retrieve()
                            .toBodilessEntity();
                case REST_TEMPLATE ->
                    instance.getBean(RestTemplateBuilder.class).build().getForEntity(uri, String.class);
                case WEB_CLIENT ->
                    Objects.requireNonNull(instance.getBean(WebClient.Builder.class)
                            .build()
                            .get()
                            .uri(uri)
                            .retrieve()
                            .toBodilessEntity()
                            .block(Duration.ofMinutes(1)));
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({EngineBeans.class, ClockBeans.class})
    @ImportAutoConfiguration({
        HttpClientAutoConfiguration.class,
        ImperativeHttpClientAutoConfiguration.class,
        ReactiveHttpClientAutoConfiguration.class,
        RestClientAutoConfiguration.class,
        RestTemplateAutoConfiguration.class,
        WebClientAutoConfiguration.class,
        ClientLimitAutoConfiguration.class,
        ClientCustomizerAutoConfiguration.class
    })
    static class Application {}

    @BeforeEach
    void redirects() {
        party.answers(exchange -> {
            if (exchange.getRequestURI().getPath().equals("/old")) {
                exchange.getResponseHeaders().set("Location", party.uri() + "/new");
                exchange.sendResponseHeaders(302, -1);
            } else {
                exchange.sendResponseHeaders(204, -1);
            }
        });
    }

    @AfterEach
    void close() {
        party.close();
    }

    @ParameterizedTest
    @EnumSource
    void redirectsThatTheClientFollowsAreNotCounted(Client client) {
        try (ConfigurableApplicationContext instance = start(client, "follow-when-possible")) {
            for (int i = 0; i < 2; i++) {
                assertThat(client.get(instance, party.uri() + "/old")
                                .getStatusCode()
                                .value())
                        .isEqualTo(204);
            }
            assertThatThrownBy(() -> client.get(instance, party.uri() + "/old"))
                    .isInstanceOf(RateLimitExceededException.class);
            assertThat(party.paths()).containsExactly("/old", "/new", "/old", "/new");
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutFollowingRedirectsEveryCallCounts(Client client) {
        try (ConfigurableApplicationContext instance = start(client, "dont-follow")) {
            ResponseEntity<?> redirect = client.get(instance, party.uri() + "/old");
            assertThat(redirect.getStatusCode().value()).isEqualTo(302);
            String location = String.valueOf(redirect.getHeaders().getLocation());
            assertThat(client.get(instance, location).getStatusCode().value()).isEqualTo(204);

            assertThatThrownBy(() -> client.get(instance, location)).isInstanceOf(RateLimitExceededException.class);
            assertThat(party.paths()).containsExactly("/old", "/new");
        }
    }

    private ConfigurableApplicationContext start(Client client, String redirects) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "sluice.outbound.party.hosts=" + party.authority(),
                        "sluice.outbound.party.at-most=2/h",
                        "sluice.outbound.party.max-wait=0s",
                        "spring.http.clients.redirects=" + redirects,
                        "spring.http.clients.imperative.factory=" + client.factory,
                        "spring.main.banner-mode=off")
                .run();
    }
}
