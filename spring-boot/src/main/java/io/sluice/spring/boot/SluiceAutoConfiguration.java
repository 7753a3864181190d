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
import io.sluice.runtime.Tallies;
import io.sluice.runtime.caller.RefusedCallers;
import io.sluice.runtime.data.RulingCounts;
import io.sluice.runtime.durable.DurableQuotas;
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

    @Bean(destroyMethod = "close")
    SluiceFleet sluiceFleet(SluiceProperties properties, Environment environment, Clock clock) {
        return SluiceFleet.of(properties, environment, clock);
    }

    @Bean(destroyMethod = "close")
    SluiceEngines sluiceEngines(
            Clock clock,
            StoreChoice choice,
            SluiceProperties properties,
            SluiceFleet fleet,
            ObjectProvider<StoreListener> listeners) {
        StoreListener all = new AllStoreListeners(listeners.orderedStream().toList());
        return SluiceEngines.open(
                clock, choice.address(), properties.redis().prefix(), all, properties.dataDir(), fleet.center());
    }

    @Bean(destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean
    Limiter sluiceLimiter(SluiceEngines engines) {
        Limiter shared = engines.shared();
        return shared == null ? engines.local() : shared;
    }

    @Bean
    @ConditionalOnMissingBean
    RefusalLog sluiceRefusalLog(Clock clock) {
        return new RefusalLog(clock);
    }

    /** A listener of rulings, which counts decisions for the reports to the center. */
    @Bean
    Tallies sluiceTallies(RuleSource rules) {
        Tallies tallies = new Tallies();
        tallies.watch(rules);
        return tallies;
    }

    /** A listener of rulings, which counts decisions of each second for the center. */
    @Bean(destroyMethod = "close")
    RulingCounts sluiceRulingCounts(SluiceFleet fleet, Clock clock) {
        RulingCounts counts = new RulingCounts(fleet.outbox(), clock);
        fleet.add(counts);
        return counts;
    }

    /** A listener of rulings, which reports refused callers to the center. */
    @Bean(destroyMethod = "close")
    RefusedCallers sluiceRefusedCallers(SluiceFleet fleet, RuleSource rules, KeySettings keys, Clock clock) {
        RefusedCallers callers = new RefusedCallers(fleet.outbox(), rules::latest, keys, clock);
        fleet.add(callers);
        return callers;
    }

    /** A listener of rulings, which logs decisions. */
    @Bean(destroyMethod = "close")
    SluiceDecisions sluiceDecisions(
            SluiceProperties properties, SluiceFleet fleet, RuleSource rules, KeySettings keys, Clock clock) {
        return SluiceDecisions.open(properties.decisions(), fleet, rules, keys, clock);
    }

    @Bean
    @ConditionalOnMissingBean
    ObservedRulings sluiceObservedRulings(ObjectProvider<ObservationRegistry> registry) {
        return new ObservedRulings(registry.getIfUnique(() -> ObservationRegistry.NOOP));
    }

    @Bean
    @ConditionalOnMissingBean
    Evaluator sluiceEvaluator(
            RuleSource rules,
            SluiceEngines engines,
            KeySettings keys,
            Clock clock,
            ObjectProvider<RulingListener> listeners,
            SluiceFleet fleet) {
        Evaluator evaluator = new Evaluator(
                rules::latest,
                engines.local(),
                engines.shared(),
                keys,
                clock,
                new RulingListeners(listeners.orderedStream().toList()),
                fleet::liveNodes);
        engines.settleFirst(evaluator::settlementsUnderWay);
        return evaluator;
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
            SluiceEngines engines, RuleSource source, ObjectProvider<OpenRules> opened, SluiceFleet fleet) {
        return new SluiceState(engines, source, opened.getIfAvailable(), fleet);
    }

    @Bean
    CallerReports sluiceCallerReports(
            RefusedCallers refused,
            SharedCallerKey own,
            KeySettings keys,
            RuleSource rules,
            Evaluator evaluator,
            Clock clock,
            SluiceProperties properties) {
        return new CallerReports(
                refused,
                properties.hashKeyFile().isPresent() ? Optional.empty() : Optional.of(own),
                keys,
                rules,
                evaluator,
                clock);
    }

    @Bean
    FleetStart sluiceFleetStart(
            SluiceFleet fleet,
            RuleSource source,
            ObjectProvider<OpenRules> opened,
            ObjectProvider<RuleChoice> choice,
            SluiceEngines engines,
            SluiceState state,
            Tallies tallies,
            KeySettings keys,
            RulingCounts counts,
            CallerReports callers,
            SluiceDecisions decisions) {
        RuleChoice chosen = choice.getIfAvailable();
        return new FleetStart(
                fleet,
                opened.getIfAvailable(() -> OpenRules.of(source)),
                chosen == null ? Optional.empty() : chosen.redis(),
                engines,
                state,
                tallies,
                keys,
                counts,
                callers,
                decisions);
    }

    @Bean
    StartLine sluiceStartLine(SluiceEngines engines, RuleSource source, ObjectProvider<RuleChoice> choice) {
        RuleChoice chosen = choice.getIfAvailable();
        return new StartLine(engines, source, chosen == null ? "from the application's own source" : chosen.shown());
    }

    /** The rule source that the properties choose. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(RuleSource.class)
    static final class Rules {

        @Bean
        RuleChoice sluiceRuleChoice(
                SluiceProperties properties,
                Environment environment,
                StoreChoice store,
                SluiceFleet fleet,
                Clock clock) {
            return new RuleChoice(properties, environment, store.address(), fleet, clock);
        }

        @Bean(destroyMethod = "close")
        OpenRules sluiceOpenRules(RuleChoice choice) {
            return choice.open();
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
        MetricsWatch sluiceMetricsWatch(
                RateLimitMetrics metrics,
                RuleSource source,
                SluiceEngines engines,
                SluiceFleet fleet,
                SluiceDecisions decisions,
                ObjectProvider<RuleChoice> choice) {
            RuleChoice chosen = choice.getIfAvailable();
            decisions.recorder().ifPresent(metrics::watch);
            if (fleet.center().isPresent() || (chosen != null && chosen.redis().isPresent())) {
                metrics.watch(fleet.witness());
            }
            return new MetricsWatch(metrics, source, engines);
        }
    }

    /** Registers the gauges that are read on each scrape, and keeps their sources reachable. */
    record MetricsWatch(RateLimitMetrics metrics, RuleSource source, SluiceEngines engines) {

        MetricsWatch {
            metrics.watch(source, engines.counts(), engines.watch());
            StorePulse pulse = engines.pulse();
            if (pulse != null) {
                metrics.watch(pulse);
            }
            DurableQuotas durable = engines.durable();
            if (durable != null) {
                metrics.watch(durable);
            }
        }
    }
}
