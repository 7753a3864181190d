package io.sluice.benchmarks.annotation;

import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.github.resilience4j.spring6.fallback.FallbackDecorators;
import io.github.resilience4j.spring6.fallback.FallbackExecutor;
import io.github.resilience4j.spring6.ratelimiter.configure.RateLimiterAspect;
import io.github.resilience4j.spring6.ratelimiter.configure.RateLimiterConfigurationProperties;
import io.github.resilience4j.spring6.spelresolver.DefaultSpelResolver;
import io.github.resilience4j.spring6.spelresolver.SpelResolver;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.boot.method.MethodLimitAutoConfiguration;
import java.time.Duration;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.core.StandardReflectionParameterNameDiscoverer;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Spring applications that limit {@link Echo} in process, each set up as its documentation shows. */
final class Applications {

    private Applications() {}

    static <T extends Echo> Echo sluice(Class<T> bean) {
        return started(bean, Sluice.class, MethodLimitAutoConfiguration.class);
    }

    static <T extends Echo> Echo resilience4j(Class<T> bean) {
        return started(bean, Resilience4j.class);
    }

    /** Returns a proxy of the same kind that does nothing. It shows the minimum cost of any advice. */
    static Echo proxied() {
        ProxyFactory factory = new ProxyFactory(new Echo());
        factory.setProxyTargetClass(true);
        MethodInterceptor nothing = MethodInvocation::proceed;
        factory.addAdvice(nothing);
        return (Echo) factory.getProxy();
    }

    private static Echo started(Class<? extends Echo> bean, Class<?>... configuration) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(configuration);
        context.register(bean);
        context.refresh();
        return context.getBean(bean);
    }

    @Configuration(proxyBeanMethods = false)
    static class Sluice {

        @Bean
        static Clock clock() {
            return Clock.system();
        }

        @Bean
        static Evaluator evaluator(Clock clock) {
            RuleDocument document = RuleDocument.parse(
                    "bench.yaml",
                    "rules: [{ id: plenty, limits: [{ rate: " + Echo.PLENTY + "/s, burst: " + Echo.PLENTY + " }] }]");
            RuleSet rules = new RuleSet(1, ((RuleDocument.Accepted) document).rules());
            return new Evaluator(
                    () -> rules,
                    new Limiter(new LocalEngine(clock), clock, List.of()),
                    null,
                    KeySettings.ofThisProcess(),
                    clock,
                    (ruling, nanos) -> {});
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAspectJAutoProxy(proxyTargetClass = true)
    static class Resilience4j {

        @Bean
        static RateLimiterRegistry registry() {
            RateLimiterRegistry registry = RateLimiterRegistry.ofDefaults();
            registry.rateLimiter("plenty", config(Integer.parseInt(Echo.PLENTY), Duration.ofSeconds(1), true));
            registry.rateLimiter("exhausted", config(1, Duration.ofDays(1), true))
                    .acquirePermission();
            registry.rateLimiter("exhausted-without-trace", config(1, Duration.ofDays(1), false))
                    .acquirePermission();
            return registry;
        }

        private static RateLimiterConfig config(int permits, Duration period, boolean trace) {
            return RateLimiterConfig.custom()
                    .limitForPeriod(permits)
                    .limitRefreshPeriod(period)
                    .timeoutDuration(Duration.ZERO)
                    .writableStackTraceEnabled(trace)
                    .build();
        }

        @Bean
        static RateLimiterAspect aspect(RateLimiterRegistry registry, BeanFactory beans) {
            SpelResolver resolver = new DefaultSpelResolver(
                    new SpelExpressionParser(), new StandardReflectionParameterNameDiscoverer(), beans);
            return new RateLimiterAspect(
                    registry,
                    new RateLimiterConfigurationProperties(),
                    List.of(),
                    new FallbackExecutor(resolver, new FallbackDecorators(List.of())),
                    resolver);
        }
    }
}
