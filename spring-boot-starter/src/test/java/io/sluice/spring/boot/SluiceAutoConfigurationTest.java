package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.http.answer.RefusalBody;
import io.sluice.http.request.CallerAddress;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RuleCall;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import io.sluice.runtime.RateLimitMetrics;
import io.sluice.runtime.participant.Engines;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SluiceAutoConfigurationTest {

    private static final String[] ONE_RULE = {
        "sluice.rules[0].id=one",
        "sluice.rules[0].limits[0].by=user",
        "sluice.rules[0].limits[0].limit=1",
        "sluice.rules[0].limits[0].window=1h"
    };

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(SluiceAutoConfiguration.class, SluiceActuatorAutoConfiguration.class));

    @Test
    void pathsAreReadAsAServletContainerReadsThemOnlyInsideOne() {
        AutoConfigurations all = AutoConfigurations.of(SluiceAutoConfiguration.class);
        WebApplicationContextRunner servlet = new WebApplicationContextRunner().withConfiguration(all);
        servlet.run(context -> assertThat(context.getBean(PathForm.class)).isEqualTo(PathForm.STRICT.ofServlets()));
        servlet.withPropertyValues("sluice.paths.servlet=false", "sluice.paths.resolve=true")
                .run(context -> assertThat(context.getBean(PathForm.class)).isEqualTo(PathForm.STRICT.resolving()));
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(all)
                .run(context -> assertThat(context.getBean(PathForm.class)).isEqualTo(PathForm.STRICT));
    }

    @Test
    void worksAtOnceInThisProcessAndSaysSo(CapturedOutput output) {
        contexts.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context)
                    .hasSingleBean(Evaluator.class)
                    .hasSingleBean(RuleSource.class)
                    .hasSingleBean(CallerAddress.class)
                    .hasSingleBean(Clock.class);
            Limiter limiter = context.getBean("sluiceLimiter", Limiter.class);
            Limit limit = Limit.named("a").tokenBucket(Rate.perHour(1)).withBurst(1);
            assertThat(limiter.decide(limit, "k", 1).allowed()).isTrue();
            assertThat(limiter.decide(limit, "k", 1).allowed()).isFalse();
            assertThat(context.getBean(PathForm.class)).isEqualTo(PathForm.STRICT);
            assertThat(context.getBean(RefusalBody.class)).isSameAs(RefusalBody.PROBLEM);
        });
        assertThat(output)
                .contains(
                        "Sluice counts in this process only (no Redis configured); no rules, only limits in code apply");
    }

    @Test
    void startsWithoutMicrometerActuatorAndDataRedis() {
        new ApplicationContextRunner()
                .withUserConfiguration(FailedStartTest.App.class)
                .withClassLoader(new FilteredClassLoader(
                        "io.micrometer.core",
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.health",
                        "org.springframework.boot.data.redis",
                        "org.springframework.cloud"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Evaluator.class));
    }

    @Test
    void definesNoBeansWhenDisabled() {
        contexts.withPropertyValues("sluice.enabled=false").run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(Evaluator.class)
                .doesNotHaveBean(Limiter.class)
                .doesNotHaveBean("sluiceHealthIndicator"));
    }

    @Test
    void beansOfTheApplicationReplaceTheDefaults() {
        Limiter limiter = Limiter.inProcess();
        ManualClock clock = QuietClock.at(0);
        CallerAddress address = CallerAddress.ofPeer();
        RefusalBody body = (ruling, language) -> new RefusalBody.Content(429, "text/plain", language, "no");
        RuleSet rules = new RuleSet(
                7,
                ((RuleDocument.Accepted)
                                RuleDocument.parse("t", "rules: [{ id: own, limits: [{ limit: 1, window: 1h }] }]"))
                        .rules());
        contexts.withBean(Limiter.class, () -> limiter)
                .withBean(Clock.class, () -> clock)
                .withBean(CallerAddress.class, () -> address)
                .withBean(RefusalBody.class, () -> body)
                .withBean(RuleSource.class, () -> RuleSource.fixed(rules))
                .withPropertyValues(ONE_RULE)
                .run(context -> {
                    assertThat(context.getBean(Limiter.class)).isSameAs(limiter);
                    assertThat(context.getBean(Clock.class)).isSameAs(clock);
                    assertThat(context.getBean(CallerAddress.class)).isSameAs(address);
                    assertThat(context.getBean(RefusalBody.class)).isSameAs(body);
                    assertThat(context.getBean(Evaluator.class).rules().version())
                            .isEqualTo(7);
                    assertThat(context.getBean(SluiceRules.class).reload()).isEmpty();
                });
    }

    @Test
    void serviceIsTheApplicationsNameUnlessSet() {
        contexts.run(context ->
                assertThat(context.getBean(SluiceProperties.class).service()).isNull());
        contexts.withPropertyValues("spring.application.name=shop").run(context -> assertThat(
                        context.getBean(SluiceProperties.class).service())
                .isEqualTo("shop"));
        contexts.withPropertyValues("spring.application.name=shop", "sluice.service=orders")
                .run(context -> assertThat(
                                context.getBean(SluiceProperties.class).service())
                        .isEqualTo("orders"));
    }

    @Test
    void anUnconfiguredRedisIsNotUsed(CapturedOutput output) {
        contexts.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.timeout=1s")
                .run(context ->
                        assertThat(context.getBean(Engines.class).shared()).isNull());
        assertThat(output).contains("in this process only");
    }

    @Test
    void metricsAreThoseOfTheContractInTheApplicationsRegistry() {
        contexts.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(ONE_RULE)
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    check(context.getBean(Evaluator.class), "u");
                    check(context.getBean(Evaluator.class), "u");
                    assertThat(registry.get("rate_limit_allowed")
                                    .tags("rule", "one", "limit", "one.0", "mode", "local")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(registry.get("rate_limit_rejected")
                                    .tag("rule", "one")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(registry.get("rate_limit_duration").timer().count())
                            .isEqualTo(2);
                    assertThat(registry.get("rate_limit_rule_version").gauge().value())
                            .isEqualTo(1);
                    assertThat(registry.get("rate_limit_mode")
                                    .tag("mode", "local")
                                    .gauge()
                                    .value())
                            .isEqualTo(1);
                    assertThat(context).hasSingleBean(RateLimitMetrics.class);
                });
    }

    @Test
    void everyDecisionIsAnObservationWithTheNamesOfItsRule() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        contexts.withBean(ObservationRegistry.class, () -> observations)
                .withPropertyValues(ONE_RULE)
                .run(context -> {
                    check(context.getBean(Evaluator.class), "u");
                    check(context.getBean(Evaluator.class), "u");
                    // Impossible, and therefore not decided.
                    context.getBean(Evaluator.class).evaluate(Attributes.of(Map.of("user", "u")), 2);
                    TestObservationRegistryAssert.assertThat(observations)
                            .hasNumberOfObservationsWithNameEqualTo("sluice.decision", 2)
                            .hasAnObservationWithAKeyValue("outcome", "allowed")
                            .hasAnObservationWithAKeyValue("outcome", "refused")
                            .hasAnObservationWithAKeyValue("rule", "one")
                            .hasAnObservationWithAKeyValue("limit", "one.0")
                            .hasAnObservationWithAKeyValue("mode", "local")
                            .doesNotHaveAnyRemainingCurrentObservation();
                    TestObservationRegistryAssert.assertThat(observations)
                            .hasObservationWithNameEqualTo("sluice.decision")
                            .that()
                            .hasBeenStarted()
                            .hasBeenStopped();
                });
    }

    @Test
    void theObservationOfAnAbandonedCallEndsToo() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        contexts.withBean(ObservationRegistry.class, () -> observations)
                .withPropertyValues(ONE_RULE)
                .run(context -> {
                    Evaluator evaluator = context.getBean(Evaluator.class);
                    check(evaluator, "u");
                    RuleCall claim =
                            new RuleCall(evaluator.rules().rules().get(0), Attributes.of(Map.of("user", "u")), 1);
                    evaluator.acquireNamed(List.of(claim), Duration.ofHours(2)).cancel(false);

                    await().atMost(Duration.ofMinutes(1))
                            .untilAsserted(() -> TestObservationRegistryAssert.assertThat(observations)
                                    .hasNumberOfObservationsWithNameEqualTo("sluice.decision", 2)
                                    .hasAnObservationWithAKeyValue("outcome", "left"));
                });
    }

    @Test
    void aListenerThatThrowsChangesNoDecision() {
        RulingListener broken = (ruling, nanos) -> {
            throw new IllegalStateException("broken");
        };
        contexts.withBean(RulingListener.class, () -> broken)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(ONE_RULE)
                .run(context -> {
                    assertThat(check(context.getBean(Evaluator.class), "u").allowed())
                            .isTrue();
                    assertThat(check(context.getBean(Evaluator.class), "u").allowed())
                            .isFalse();
                });
    }

    static Ruling.Settled check(Evaluator evaluator, String user) {
        return (Ruling.Settled) evaluator
                .evaluate(Attributes.of(Map.of("user", user)), 1)
                .toCompletableFuture()
                .join();
    }
}
