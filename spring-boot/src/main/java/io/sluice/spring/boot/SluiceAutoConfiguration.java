package io.sluice.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.sluice.core.Limiter;
import io.sluice.core.time.Clock;
import io.sluice.http.answer.RefusalBody;
import io.sluice.http.request.CallerAddress;
import io.sluice.redis.store.StoreListener;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.source.RuleSource;
import io.sluice.runtime.HashKeyFile;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.RateLimitMetrics;
import io.sluice.runtime.RefusalLog;
import io.sluice.runtime.RulingListeners;
import io.sluice.runtime.SharedCallerKey;
import io.sluice.runtime.StorePulse;
import io.sluice.runtime.participant.Engines;
import io.sluice.runtime.participant.Membership;
import io.sluice.runtime.participant.Participant;
import io.sluice.runtime.participant.Participant.CallerKeys;
import io.sluice.spring.boot.store.NamedRedis;
import io.sluice.spring.boot.store.SluiceStartException;
import io.sluice.spring.boot.store.StoreAddressFinder;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/**
 * Defines the beans that every part of the starter uses: the limiter, the rules and the evaluator. The application can replace
 * most of them by defining a bean of the same type.
 *
 * <p>Counts are shared if {@code sluice.redis.uri}, {@code spring.data.redis.*} or a bean with connection details names a Redis. Otherwise
 * each process counts alone, which is logged at startup.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "sluice.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SluiceProperties.class)
public final class SluiceAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Clock sluiceClock() {
        return Clock.system();
    }

    @Bean
    @ConditionalOnMissingBean
    CallerAddress sluiceCallerAddress(SluiceProperties properties) {
        return CallerSettings.read(properties.caller());
    }

    @Bean
    @ConditionalOnMissingBean
    PathForm sluicePathForm(SluiceProperties properties) {
        return properties.paths().form(false);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static final class InServletContainer {

        @Bean
        @ConditionalOnMissingBean
        PathForm sluicePathForm(SluiceProperties properties) {
            return properties.paths().form(true);
        }
    }

    @Bean
    @ConditionalOnMissingBean
    RefusalBody sluiceRefusalBody() {
        return RefusalBody.PROBLEM;
    }

    /**
     * The key for hashes of callers. Without a key file, the application has a key of its own until it agrees on a shared key with other
     * processes.
     */
    @Bean(destroyMethod = "close")
    SharedCallerKey sluiceCallerKey(SluiceProperties properties) {
        return SharedCallerKey.open(properties.hashKeyFile().isPresent() ? Optional.empty() : properties.dataDir());
    }

    @Bean
    @ConditionalOnMissingBean
    KeySettings sluiceKeyForm(SluiceProperties properties, SharedCallerKey own) {
        try {
            KeySecret secret = properties.hashKeyFile().map(HashKeyFile::read).orElseGet(own::secret);
            return new KeySettings(
                    secret,
                    properties.caller().ipv6Prefix(),
                    Optional.ofNullable(properties.redis().hashTag()));
        } catch (IllegalArgumentException e) {
            throw new SluiceStartException(
                    "sluice: " + e.getMessage(),
                    "Correct sluice.hash-key-file, sluice.caller.ipv6-prefix or sluice.redis.hash-tag.");
        }
    }

    /** Reads {@code spring.data.redis} in an application without Spring Data. */
    @Bean
    @ConditionalOnMissingBean
    StoreAddressFinder sluiceNamedRedisAddress(ConfigurableEnvironment environment) {
        return () -> NamedRedis.of(environment);
    }

    @Bean
    StoreChoice sluiceStoreChoice(SluiceProperties properties, StoreAddressFinder finder) {
        return StoreChoice.of(properties.redis(), finder);
    }

    /** The application's place in its fleet. */
    @Bean(destroyMethod = "close")
    Membership sluiceMembership(
            SluiceProperties properties, Environment environment, ObjectProvider<RuleChoice> choice, Clock clock) {
        RuleChoice chosen = choice.getIfAvailable();
        return FleetProperties.membership(
                properties, environment, chosen == null ? Optional.empty() : chosen.redis(), clock);
    }

    @Bean(destroyMethod = "close")
    Engines sluiceEngines(
            Clock clock,
            StoreChoice choice,
            SluiceProperties properties,
            Membership membership,
            RuleSource rules,
            ObjectProvider<StoreListener> listeners) {
        return choice.open(
                properties,
                membership,
                rules::latest,
                new AllStoreListeners(listeners.orderedStream().toList()),
                clock);
    }

    /**
     * Starts and stops the parts that decide and report. Beans that decide depend on it, so it is closed after them.
     *
     * @param own the key for hashes of callers, for an application without a key file
     */
    @Bean(destroyMethod = "close")
    Participant sluiceParticipant(
            Membership membership,
            Engines engines,
            RuleSource source,
            ObjectProvider<OpenRules> opened,
            KeySettings keys,
            SharedCallerKey own,
            SluiceProperties properties,
            Clock clock) {
        Participant participant;
        try {
            participant = Participant.open(
                    membership,
                    engines,
                    opened.getIfAvailable(() -> OpenRules.of(source)),
                    new CallerKeys(keys, properties.hashKeyFile().isPresent() ? Optional.empty() : Optional.of(own)),
                    DecisionProperties.read(properties.decisions()),
                    Optional.empty(),
                    clock);
        } catch (IllegalArgumentException e) {
            throw DecisionProperties.refused(e);
        }
        participant.warmUp();
        return participant;
    }

    @Bean(destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean
    Limiter sluiceLimiter(Participant participant) {
        Limiter shared = participant.engines().shared();
        return shared == null ? participant.engines().local() : shared;
    }

    @Bean
    @ConditionalOnMissingBean
    RefusalLog sluiceRefusalLog(Clock clock) {
        return new RefusalLog(clock);
    }

    /** The listener of rulings that counts decisions, reports refused callers, and logs decisions. */
    @Bean
    RulingListener sluiceReports(Participant participant) {
        return new RulingListeners(participant.listeners());
    }

    @Bean
    @ConditionalOnMissingBean
    ObservedRulings sluiceObservedRulings(ObjectProvider<ObservationRegistry> registry) {
        return new ObservedRulings(registry.getIfUnique(() -> ObservationRegistry.NOOP));
    }

    @Bean
    @ConditionalOnMissingBean
    Evaluator sluiceEvaluator(Participant participant, ObjectProvider<RulingListener> listeners) {
        return participant.evaluator(
                new RulingListeners(listeners.orderedStream().toList()));
    }

    @Bean
    @ConditionalOnMissingBean
    SluiceRules sluiceRules(RuleSource source) {
        return new SluiceRules(source);
    }

    @Bean
    RulesReloader sluiceRulesReloader(SluiceRules rules) {
        return new RulesReloader(rules);
    }

    @Bean
    SluiceState sluiceState(
            Participant participant, StoreChoice store, RuleSource source, ObjectProvider<OpenRules> opened) {
        return new SluiceState(participant, store, source, opened.getIfAvailable());
    }

    @Bean
    ParticipantStart sluiceParticipantStart(
            Participant participant, Evaluator evaluator, SluiceState state, SluiceProperties properties) {
        return new ParticipantStart(participant, evaluator, state, FleetProperties.name(properties));
    }

    @Bean
    StartLine sluiceStartLine(
            StoreChoice store, RuleSource source, ObjectProvider<RuleChoice> choice, Membership membership) {
        RuleChoice chosen = choice.getIfAvailable();
        return new StartLine(
                store, source, chosen == null ? "from the application's own source" : chosen.shown(membership));
    }

    /** The rule source that the properties choose. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(RuleSource.class)
    static final class Rules {

        @Bean
        RuleChoice sluiceRuleChoice(
                SluiceProperties properties, Environment environment, StoreChoice store, Clock clock) {
            return new RuleChoice(properties, environment, store.address(), clock);
        }

        @Bean(destroyMethod = "close")
        OpenRules sluiceOpenRules(RuleChoice choice, Membership membership) {
            return choice.open(membership);
        }

        @Bean(destroyMethod = "")
        RuleSource sluiceRuleSource(OpenRules rules) {
            return rules.source();
        }
    }

    /** Metrics in the application's meter registry. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    static final class Metrics {

        @Bean
        @ConditionalOnMissingBean
        RateLimitMetrics sluiceMetrics(MeterRegistry registry) {
            return RateLimitMetrics.ofSetsAndCode(registry);
        }

        @Bean
        MetricsWatch sluiceMetricsWatch(RateLimitMetrics metrics, Participant participant) {
            return new MetricsWatch(metrics, participant);
        }
    }

    /** Registers the gauges that are read on each scrape, and keeps their sources reachable. */
    record MetricsWatch(RateLimitMetrics metrics, Participant participant) {

        MetricsWatch {
            participant.measure(metrics);
            StorePulse pulse = participant.engines().pulse();
            if (pulse != null) {
                metrics.watch(pulse);
            }
        }
    }
}
