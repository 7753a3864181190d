package io.sluice.spring.boot.web;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.spring.web.BodyMemory;
import io.sluice.spring.web.RequestReader;
import io.sluice.spring.web.WebAnswers;
import io.sluice.spring.web.WebLimits;
import io.sluice.spring.web.reactive.BareRequests;
import io.sluice.spring.web.reactive.CurrentRequestWebFilter;
import io.sluice.spring.web.reactive.EarlyLimitWebFilter;
import io.sluice.spring.web.reactive.LimitWebFilter;
import io.sluice.spring.web.reactive.RefusalWebExceptionHandler;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.web.reactive.DispatcherHandler;

/** Limits requests to WebFlux: the filters, the current request in the Reactor context, and the responses to refused calls. */
@AutoConfiguration(afterName = "io.sluice.spring.boot.SluiceAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnBean(Evaluator.class)
@ConditionalOnBooleanProperty(name = "sluice.enabled", matchIfMissing = true)
@Import(WebBeans.class)
public final class ReactiveLimitAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBooleanProperty(name = "sluice.web.enabled", matchIfMissing = true)
    LimitWebFilter sluiceLimitWebFilter(
            WebLimits limits,
            Clock clock,
            BodyMemory memory,
            WebProperties properties,
            ObjectProvider<ServerCodecConfigurer> codecs) {
        return new LimitWebFilter(
                limits,
                clock,
                memory,
                codecs.getIfAvailable(ServerCodecConfigurer::create).getReaders(),
                properties.order());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBooleanProperty(name = "sluice.web.enabled", matchIfMissing = true)
    EarlyLimitWebFilter sluiceEarlyLimitWebFilter(
            WebLimits limits, Clock clock, BodyMemory memory, WebProperties properties) {
        return new EarlyLimitWebFilter(limits, clock, memory, properties.orderBeforeSecurity());
    }

    /** Runs right after Spring Security, independent of the order of the limits. */
    @Bean
    @ConditionalOnMissingBean
    CurrentRequestWebFilter sluiceCurrentRequestWebFilter(RequestReader reader, WebAnswers answers) {
        return new CurrentRequestWebFilter(reader, answers, WebProperties.DEFAULT_ORDER - 1);
    }

    @Bean
    @ConditionalOnMissingBean
    BareRequests sluiceBareRequests() {
        return new BareRequests();
    }

    @Bean
    @ConditionalOnMissingBean
    RefusalWebExceptionHandler sluiceRefusalWebExceptionHandler(WebAnswers answers) {
        return new RefusalWebExceptionHandler(answers);
    }
}
