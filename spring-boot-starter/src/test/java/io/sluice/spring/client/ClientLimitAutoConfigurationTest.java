package io.sluice.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.boot.client.ClientLimitAutoConfiguration;
import io.sluice.spring.boot4.ClientCustomizerAutoConfiguration;
import io.sluice.spring.internal.ClockBeans;
import io.sluice.spring.internal.EngineBeans;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.web.reactive.function.client.WebClient;

class ClientLimitAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(EngineBeans.class, ClockBeans.class)
            .withConfiguration(
                    AutoConfigurations.of(ClientLimitAutoConfiguration.class, ClientCustomizerAutoConfiguration.class));

    @Test
    void customisesEveryBuilder() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(CallLimits.class)
                .hasSingleBean(ReactiveCallLimits.class)
                .hasSingleBean(RestClientCustomizer.class)
                .hasSingleBean(RestTemplateCustomizer.class)
                .hasSingleBean(WebClientCustomizer.class));
    }

    @Test
    void backsOffWhenDisabled() {
        runner.withPropertyValues("sluice.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(CallLimits.class));
    }

    /** Spring inspects the methods of every bean. If one refers to a missing class, startup fails. */
    @Test
    void limitsOfBlockingClientsDoNotReferToWebFlux() {
        assertThat(CallLimits.class.getDeclaredMethods())
                .noneMatch(method -> method.toString().contains("web.reactive"));
    }

    @Test
    void needsNoWebClient() {
        runner.withClassLoader(new FilteredClassLoader(WebClient.class, WebClientCustomizer.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RestClientCustomizer.class)
                        .doesNotHaveBean("sluiceWebClientCustomizer"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    at-most=5/s                             | hosts: none (expected
                    hosts=a.example                      | at-most: none (expected
                    hosts=a.example;at-most=fast            | at-most: "fast" (expected
                    hosts=a.example;at-most=5/s;rule=x      | rule: "x" together with at-most
                    hosts=http://a.example/;at-most=5/s     | hosts: "http://a.example/" (expected
                    hosts=a.example;at-most=5/0s            | window
                    hosts=a.example;at-most=5/s;margin=-1s  | margin: PT-1S (expected
                    hosts=a.example;at-most=5/s;max-wait=2d | maxWait: PT48H (expected
                    hosts=a.example;concurrency=-1       | limit: -1 (expected
                    """)
    void refusesToStartWithInvalidProperties(String properties, String message) {
        ApplicationContextRunner wrong = runner;
        for (String property : properties.split(";", -1)) {
            wrong = wrong.withPropertyValues("sluice.outbound.party." + property.trim());
        }
        wrong.run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining(message.trim()));
        wrong.run(context -> assertThat(context).getFailure().hasStackTraceContaining("sluice.outbound.party."));
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.com, https://API.example.com/x, true",
        "api.example.com, https://api.example.com./x, true",
        "api.example.com, https://api.example.com:8443/x, true",
        "api.example.com, https://xapi.example.com/, false",
        "*.example.com, http://api.example.com/, true",
        "*.example.com, http://a.b.example.com/, true",
        "*.example.com, http://example.com/, false",
        "*.example.com, http://badexample.com/, false",
        "api.example.com:443, https://api.example.com/, true",
        "api.example.com:443, http://api.example.com/, false",
        "[::1]:80, http://[::1]/, true",
        "api.example.com, http://user@evil.example/api.example.com, false",
    })
    void matchesHosts(String pattern, URI uri, boolean matches) {
        OutboundCall call = new OutboundCall(HttpMethod.GET, uri, new HttpHeaders());
        assertThat(HostPattern.of(pattern).matches(call)).isEqualTo(matches);
    }
}
