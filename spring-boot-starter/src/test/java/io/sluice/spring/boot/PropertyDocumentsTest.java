package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.RulesRefusedException;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.OpenRules;
import io.sluice.testkit.CapturedSystemLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

class PropertyDocumentsTest {

    private static final String RULES = """
            rules:
              - id: login
                service: user-service
                resource: /api/login/{name}
                methods: [POST, PUT]
                match: { header.x-kind: [web, "007"], ip: 10.0.0.0/8 }
                deadline: 15ms
                on_failure: closed
                mode: local_distributed
                lease: { share: 0.2, ttl: 2s }
                labels: { team: "12" }
                limits:
                  - { id: a, by: [tenant, user], algorithm: token_bucket, rate: 10/s, burst: 20, max_wait: 250ms }
                  - { by: json.username, limit: 3, window: 1m, privacy: hash, weighted: true }
                overrides:
                  - { when: { claim.plan: vip }, of: a, rate: 200, burst: 400, until: 2027-01-01T00:00:00Z }
              - { id: banned, match: { ip: [203.0.113.9, 198.51.100.0/24] }, action: deny }
              - { id: later, enabled: false, shadow: true, limits: [{ rate: 5 }] }
              - resource: "/api/order/create"
                dimensions:
                  - { type: user,   field: userId,   limit: 20,  window: 1s }
                algorithm: token_bucket
                rate: 100
                burst: 200
            """;

    private final CapturedSystemLog log = new CapturedSystemLog(RuleFollower.class);

    @AfterEach
    void release() {
        log.close();
    }

    @Test
    void meansWhatTheSameTextInAFileMeans() throws Exception {
        RuleDocument file = RuleDocument.parse("rules.yaml", RULES);

        RuleSet rules = open(yaml("sluice:\n" + RULES.indent(2))).latest();

        assertThat(rules.rules()).isEqualTo(((RuleDocument.Accepted) file).rules());
    }

    @Test
    void numbersOfPropertyFilesAndOfTheEnvironmentAreNumbers() throws Exception {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        Map.of(
                                "SLUICE_RULES_0_ID", "17",
                                "SLUICE_RULES_0_ENABLED", "false",
                                "SLUICE_RULES_0_LIMITS_0_LIMIT", "5",
                                "SLUICE_RULES_0_LIMITS_0_WINDOW", "1m")));

        RuleSet rules = open(environment).latest();

        assertThat(rules.rules()).singleElement().satisfies(rule -> {
            assertThat(rule.id()).isEqualTo("17");
            assertThat(rule.enabled()).isFalse();
        });
    }

    @Test
    void everyErrorNamesItsProperty() throws Exception {
        RulesRefusedException refused = org.assertj.core.api.Assertions.catchThrowableOfType(
                RulesRefusedException.class, () -> open(yaml("""
                        sluice:
                          rules:
                            - { id: a, limits: [{ limit: -3, window: 1m }] }
                            - { id: a, limits: [{ limit: 3, window: "${jndi:ldap://x}" }], nonsense: "#{T(java.lang.Runtime)}" }
                        rate.limit.configs.sms: { limit: many, window: 60, limt: 3 }
                        rate.limit.configs.mail: 3
                        """)));

        assertThat(refused.errors())
                .extracting(DocumentError::file)
                .contains(
                        "sluice.rules[0].limits[0].limit",
                        "sluice.rules[1].limits[0].window",
                        "rate.limit.configs.sms.limits[0].limit",
                        "rate.limit.configs.sms.limt",
                        "rate.limit.configs.mail")
                .allMatch(name -> name.startsWith("sluice.rules[") || name.startsWith("rate.limit.configs."));
    }

    @Test
    void warningsAreLoggedOnceAndNameTheirProperty() throws Exception {
        String rules = """
                sluice:
                  rules:
                    - { id: a, limits: [{ by: usr, rate: 1 }, { by: region, rate: 1 }] }
                """;
        RuleSource source = open(yaml(rules));
        assertThat(source.reload()).isEmpty();
        assertThat(log.lines().stream().filter(line -> line.contains("rules in doubt")))
                .satisfiesExactly(
                        line -> assertThat(line).contains("sluice.rules[0].limits[0].by: by: usr: nobody sends this"),
                        line -> assertThat(line)
                                .contains("sluice.rules[0].limits[1].by: by: region: nobody sends this"));
    }

    @Test
    void declaredAttributesAreNoDoubts() throws Exception {
        RuleSource source =
                open(yaml("sluice: { attributes: [region], rules: [{ id: a, limits: [{ by: region, rate: 1 }] }] }"));
        assertThat(source.latest().rules()).hasSize(1);
        assertThat(log.lines()).noneMatch(line -> line.contains("rules in doubt"));
        RulesRefusedException refused = org.assertj.core.api.Assertions.catchThrowableOfType(
                RulesRefusedException.class,
                () -> open(yaml("sluice: { attributes: [region, IP], rules: [{ id: a, action: deny }] }")));
        assertThat(refused.errors())
                .extracting(Object::toString)
                .containsExactly("sluice.attributes: attributes: IP (expected: ip)");
    }

    @Test
    void foundingLimitsBecomeNamedRulesThatMatchNoRequest() throws Exception {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
                .withPropertyValues(
                        "rate.limit.configs.send-sms.limit=3",
                        "rate.limit.configs.send-sms.window=60000",
                        "rate.limit.configs.login.limit=5",
                        "rate.limit.configs.login.window=1h",
                        "rate.limit.configs.search.window=1000",
                        "rate.limit.configs.report.limit=7",
                        "rate.limit.configs[api.orders]=")
                .run(context -> {
                    RuleSet rules = context.getBean(Evaluator.class).rules();
                    assertThat(rules.rules())
                            .extracting(rule -> rule.limits().get(0).limit().toString())
                            .containsExactlyInAnyOrder(
                                    "send-sms (sliding_window 3 per 1m)",
                                    "login (sliding_window 5 per 1h)",
                                    "search (sliding_window 100 per 1s)",
                                    "report (sliding_window 7 per 1m)",
                                    "api.orders. (sliding_window 100 per 1m)");
                    assertThat(rules.matching(Attributes.of(
                                    Map.of("path", "/", "key", "k", "ip", "1.2.3.4", "service", "send-sms"))))
                            .isEmpty();
                });
    }

    @Test
    void changedPropertiesTakeEffectUnlessTheyAreInvalid() {
        Map<String, Object> values = new HashMap<>();
        values.put("sluice.rules[0].id", "one");
        values.put("sluice.rules[0].limits[0].rate", "5/s");
        new ApplicationContextRunner()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("changing", values)))
                .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
                .run(context -> {
                    SluiceRules rules = context.getBean(SluiceRules.class);
                    assertThat(rules.reload()).isEmpty();
                    assertThat(rules.inForce().version()).isEqualTo(1);

                    values.put("sluice.rules[0].id", "two");
                    context.publishEvent(new EnvironmentChangeEvent(context, Set.of("sluice.rules[0].id")));
                    assertThat(rules.inForce().version()).isEqualTo(2);
                    assertThat(rules.inForce().rules().get(0).id()).isEqualTo("two");

                    values.put("sluice.rules[0].limits[0].rate", "nonsense");
                    List<DocumentError> errors = rules.reload();
                    assertThat(errors).hasSize(1);
                    assertThat(errors.get(0).toString()).startsWith("sluice.rules[0].limits[0].rate: ");
                    assertThat(rules.inForce().version()).isEqualTo(2);
                    assertThat(context.getBean(SluiceState.class).findings())
                            .anyMatch(finding -> finding.contains("sluice.rules[0].limits[0].rate"));

                    values.put("sluice.rules[0].limits[0].rate", "5/s");
                    assertThat(rules.reload()).isEmpty();
                    assertThat(context.getBean(SluiceState.class).findings()).isEmpty();
                    assertThat(rules.inForce().version()).isEqualTo(2);
                });
    }

    private static RuleSource open(Environment environment) throws RulesRefusedException {
        return OpenRules.begin(new PropertyDocuments(environment), Optional.empty(), RuleVet.NONE, Clock.system())
                .source();
    }

    private static StandardEnvironment yaml(String text) throws IOException {
        StandardEnvironment environment = new StandardEnvironment();
        new YamlPropertySourceLoader()
                .load("test", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                .forEach(environment.getPropertySources()::addFirst);
        return environment;
    }
}
