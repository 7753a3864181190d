package io.sluice.spring.boot.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.spring.boot.SluiceAutoConfiguration;
import io.sluice.spring.boot.store.SluiceStartException;
import io.sluice.testkit.docs.Snippet;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class PropertyCheckTest {

    private static final Pattern DOCUMENTED = Pattern.compile("`(sluice\\.[a-z0-9.-]+[a-z0-9])`");

    @TempDir
    private Path folder;

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({SluiceAutoConfiguration.class, PropertyCheckAutoConfiguration.class})
    static class App {}

    @Test
    void anUnknownPropertyStopsTheStartWithItsPlaceAndASuggestion() throws Exception {
        Path file = Files.writeString(folder.resolve("application.yaml"), """
                sluice:
                  redsi:
                    uri: redis://:secret@127.0.0.1
                  web: { exclud: [/a] }
                  outbound: { github: { host: [api.github.com] } }
                """);
        SpringApplication application = new SpringApplication(App.class);
        application.setWebApplicationType(WebApplicationType.NONE);

        Throwable failure = catchThrowable(
                () -> application.run("--spring.config.location=" + file.toUri(), "--sluice.enabeld=true"));

        assertThat(failure).isInstanceOf(SluiceStartException.class);
        assertThat(failure.getMessage())
                .contains("sluice.redsi.uri: unknown (expected: sluice.redis.uri?)", file + "] - 3:10")
                .contains("sluice.web.exclud[0]: unknown (expected: sluice.web.exclude?)")
                .contains("sluice.outbound.github.host[0]: unknown (expected: sluice.outbound.github.hosts?)")
                .contains("sluice.enabeld: unknown (expected: sluice.enabled?)")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource({
        "sluice.client.trusted-proxies, sluice.caller.trusted-proxies",
        "sluice.client.trusted-proxies[0], sluice.caller.trusted-proxies",
        "sluice.client.headers[1], sluice.caller.headers",
        "sluice.client.ipv6-prefix, sluice.caller.ipv6-prefix",
        "sluice.client-limits.github.rate, sluice.outbound.github.at-most",
        "sluice.clientLimits.github.max-wait, sluice.outbound.github.max-wait",
        "sluice.outbound.github.rate, sluice.outbound.github.at-most",
        "sluice.annotations.missing-rule, sluice.missing-rule",
    })
    void aRenamedPropertyNamesItsNewName(String before, String now) {
        assertThatThrownBy(() -> check(Map.of(before, "1"), Map.of()))
                .isInstanceOf(SluiceStartException.class)
                .hasMessageContaining(": renamed (expected: " + now + ")");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"SLUICE_CLIENT_TRUSTED_PROXIES", "SLUICE_CLIENT_TRUSTEDPROXIES", "SLUICE_CLIENTLIMITS_X_HOSTS"})
    void aRenamedEnvironmentVariableStopsTheStart(String name) {
        assertThatThrownBy(() -> check(Map.of(), Map.of(name, "10.0.0.0/8")))
                .isInstanceOf(SluiceStartException.class)
                .hasMessageContaining(name + ": renamed (expected: sluice.");
    }

    @Test
    void otherVariablesBelongToOtherPrograms() {
        assertThatCode(() -> check(Map.of(), Map.of("SLUICE_REDIS", "x", "SLUICE_API_PORT", "1", "SLUICE_HOME", "/x")))
                .doesNotThrowAnyException();
    }

    @Test
    void onlyVariablesSimilarToAKnownOneAreWorthAWarning() {
        KnownProperties known = new KnownProperties();
        assertThat(known.similarVariable("SLUICE_REDIS_URL")).hasValue("SLUICE_REDIS_URI");
        assertThat(known.similarVariable("SLUICE_API_PORT")).isEmpty();
        assertThat(known.similarVariable("SLUICE_HOME")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sluice.rulesFile",
                "sluice.rules_file",
                "sluice.redis.uri",
                "sluice.web",
                "sluice.web.exclude",
                "sluice.web.exclude[0]",
                "sluice.web.claims.user",
                "sluice.outbound.github.hosts[0]",
                "sluice.outbound[api.x].at-most",
                "sluice.rules[0].limits[0].anything",
                "sluice.attributes[0]",
                "spring.application.name",
                "sluiced.by"
            })
    void everySpellingThatSpringAcceptsIsKnown(String name) {
        assertThatCode(() -> check(Map.of(name, "1"), Map.of())).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sluice.redis.uri.more", "sluice.web.exclude.first", "sluice.own", "sluice.outbound.x.y"})
    void nothingElseIsKnown(String name) {
        assertThatThrownBy(() -> check(Map.of(name, "1"), Map.of())).hasMessageContaining(name + ": unknown");
    }

    @Test
    void everyDocumentedPropertyIsKnown() {
        KnownProperties known = new KnownProperties();
        Set<String> documented = new TreeSet<>();
        Set<String> unknown = new TreeSet<>();
        for (Path page : Snippet.pages(Path.of(".."))) {
            if (page.getFileName().toString().startsWith("spring")) {
                Matcher name = DOCUMENTED.matcher(read(page));
                while (name.find()) {
                    documented.add(name.group(1));
                    if (!known.contains(ConfigurationPropertyName.of(name.group(1)))) {
                        unknown.add(name.group(1));
                    }
                }
            }
        }
        assertThat(documented).contains("sluice.redis.uri", "sluice.web.order", "sluice.gateway.apply-rules");
        unknown.removeIf(name -> RenamedProperty.nowOf(name).isPresent());
        unknown.removeAll(Set.of("sluice.rule", "sluice.on-failure", "sluice.decision"));
        assertThat(unknown).isEmpty();
    }

    @Test
    void everyPropertyOfTheMetadataIsKnown() throws IOException {
        KnownProperties known = new KnownProperties();
        List<String> unknown = new ArrayList<>();
        try (InputStream in = PropertyCheck.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            Matcher name = Pattern.compile("\"name\": \"(sluice\\.[^\"]+)\"")
                    .matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            while (name.find()) {
                if (!known.contains(ConfigurationPropertyName.of(name.group(1)))) {
                    unknown.add(name.group(1));
                }
            }
        }
        assertThat(unknown)
                .containsExactlyInAnyOrder(
                        "sluice.annotations.missing-rule",
                        "sluice.client-limits",
                        "sluice.client.headers",
                        "sluice.client.ipv6-prefix",
                        "sluice.client.trusted-proxies");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SLUICE_REDIS", "SLUICE_RULES", "SLUICE_CONFIG", "SLUICE_CENTER"})
    void variablesOfTheCommandLineDoNotStopAnApplication(String name) {
        SpringApplication application = new SpringApplication(App.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.addInitializers(context -> context.getEnvironment()
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                Map.of(name, "redis://127.0.0.1:1"))));
        try (ConfigurableApplicationContext context = application.run()) {
            assertThat(context.isActive()).isTrue();
        }
    }

    private static void check(Map<String, Object> properties, Map<String, Object> variables) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
        new PropertyCheck().check(environment);
    }

    private static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
