package io.sluice.spring.boot.web;

import io.micrometer.tracing.Tracer;
import io.sluice.core.time.Clock;
import io.sluice.http.answer.RefusalBody;
import io.sluice.http.request.CallerAddress;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.PathForm;
import io.sluice.spring.internal.RuleNames;
import io.sluice.spring.web.BodyMemory;
import io.sluice.spring.web.IdentityResolver;
import io.sluice.spring.web.OriginReader;
import io.sluice.spring.web.PrincipalIdentity;
import io.sluice.spring.web.RequestReader;
import io.sluice.spring.web.SecurityClaims;
import io.sluice.spring.web.VerifiedClaims;
import io.sluice.spring.web.WebAnswers;
import io.sluice.spring.web.WebLimits;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** Beans that the servlet and the reactive filters share. The application can replace each of them. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WebProperties.class)
@Import({WebBeans.WithSecurity.class, WebBeans.WithoutSecurity.class, WebBeans.WithTracing.class})
public final class WebBeans {

    @Bean
    @ConditionalOnMissingBean
    RequestReader sluiceRequestReader(
            @Value("${sluice.service:${spring.application.name:}}") String service,
            CallerAddress callers,
            PathForm paths,
            IdentityResolver identities,
            VerifiedClaims verified,
            ObjectProvider<OriginReader> origins) {
        return new RequestReader(
                service, callers, paths, identities, verified, origins.getIfAvailable(() -> OriginReader.HEADERS));
    }

    @Bean
    @ConditionalOnMissingBean
    WebAnswers sluiceWebAnswers(
            RefusalBody refusals,
            @Value("${sluice.x-rate-limit-headers:false}") boolean xRateLimit,
            WebProperties properties,
            ObjectProvider<RuleNames> names,
            Clock clock) {
        return new WebAnswers(
                refusals, xRateLimit, properties.headers(), names.getIfAvailable(() -> RuleNames.IDS), clock);
    }

    @Bean
    @ConditionalOnMissingBean
    WebLimits sluiceWebLimits(
            Evaluator evaluator,
            RequestReader reader,
            WebAnswers answers,
            Clock clock,
            WebProperties properties,
            Environment environment) {
        return new WebLimits(evaluator, reader, answers, clock, properties.excluded(ActuatorPaths.of(environment)));
    }

    @Bean
    @ConditionalOnMissingBean
    BodyMemory sluiceBodyMemory() {
        return new BodyMemory();
    }

    @Bean
    @ConditionalOnMissingBean
    IdentityResolver sluiceIdentityResolver(VerifiedClaims verified, WebProperties properties) {
        return new PrincipalIdentity(properties.claims().byAttribute(), verified);
    }

    /** For applications with Spring Security. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.security.core.Authentication")
    static final class WithSecurity {

        @Bean
        @ConditionalOnMissingBean(VerifiedClaims.class)
        VerifiedClaims sluiceVerifiedClaims() {
            return new SecurityClaims();
        }
    }

    /** For applications with Micrometer Tracing. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "io.micrometer.tracing.Tracer")
    static final class WithTracing {

        @Bean
        @ConditionalOnMissingBean(OriginReader.class)
        OriginReader sluiceOriginReader(ObjectProvider<Tracer> tracer) {
            return new TracerOrigins(tracer::getIfUnique);
        }
    }

    /** For applications without Spring Security. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.security.core.Authentication")
    static final class WithoutSecurity {

        @Bean
        @ConditionalOnMissingBean(VerifiedClaims.class)
        VerifiedClaims sluiceNoClaims() {
            return VerifiedClaims.NONE;
        }
    }
}
