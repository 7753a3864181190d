package io.sluice.spring.boot.web;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.web.BodyMemory;
import io.sluice.spring.web.RequestReader;
import io.sluice.spring.web.WebAnswers;
import io.sluice.spring.web.WebLimits;
import io.sluice.spring.web.servlet.EarlyLimitFilter;
import io.sluice.spring.web.servlet.LimitFilter;
import io.sluice.spring.web.servlet.RefusalFilter;
import io.sluice.spring.web.servlet.RefusalResolver;
import io.sluice.spring.web.servlet.ServletRequests;
import jakarta.servlet.DispatcherType;
import java.util.EnumSet;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Limits requests to servlets: the filters, the request of the current thread, and the responses to refused calls. */
@AutoConfiguration(afterName = "io.sluice.spring.boot.SluiceAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({jakarta.servlet.Filter.class, HandlerExceptionResolver.class})
@ConditionalOnBean(Evaluator.class)
@ConditionalOnBooleanProperty(name = "sluice.enabled", matchIfMissing = true)
@Import(WebBeans.class)
public final class ServletLimitAutoConfiguration {

    /**
     * The order of the filter for refusals: outside of all code that could throw a refusal, but inside of the filters that set
     * encodings.
     */
    private static final int REFUSALS = Ordered.HIGHEST_PRECEDENCE + 20;

    @Bean
    @ConditionalOnMissingBean(LimitFilter.class)
    @ConditionalOnBooleanProperty(name = "sluice.web.enabled", matchIfMissing = true)
    LimitFilter sluiceLimitFilter(WebLimits limits, Clock clock, BodyMemory memory, WebProperties properties) {
        return new LimitFilter(limits, clock, memory, properties.mostWaiting());
    }

    @Bean
    @ConditionalOnBean(LimitFilter.class)
    @ConditionalOnMissingBean(name = "sluiceLimitFilterRegistration")
    FilterRegistrationBean<LimitFilter> sluiceLimitFilterRegistration(LimitFilter filter, WebProperties properties) {
        return registration(filter, properties.order(), EnumSet.of(DispatcherType.REQUEST));
    }

    @Bean
    @ConditionalOnMissingBean(EarlyLimitFilter.class)
    @ConditionalOnBooleanProperty(name = "sluice.web.enabled", matchIfMissing = true)
    EarlyLimitFilter sluiceEarlyLimitFilter(
            WebLimits limits, Clock clock, BodyMemory memory, WebProperties properties) {
        return new EarlyLimitFilter(limits, clock, memory, properties.mostWaiting());
    }

    @Bean
    @ConditionalOnBean(EarlyLimitFilter.class)
    @ConditionalOnMissingBean(name = "sluiceEarlyLimitFilterRegistration")
    FilterRegistrationBean<EarlyLimitFilter> sluiceEarlyLimitFilterRegistration(
            EarlyLimitFilter filter, WebProperties properties) {
        return registration(filter, properties.orderBeforeSecurity(), EnumSet.of(DispatcherType.REQUEST));
    }

    @Bean
    @ConditionalOnMissingBean(name = "sluiceRefusalFilterRegistration")
    FilterRegistrationBean<RefusalFilter> sluiceRefusalFilterRegistration(WebAnswers answers) {
        return registration(
                new RefusalFilter(answers), REFUSALS, EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
    }

    @Bean
    @ConditionalOnMissingBean
    RefusalResolver sluiceRefusalResolver(WebAnswers answers) {
        return new RefusalResolver(answers);
    }

    @Bean
    @ConditionalOnMissingBean
    CurrentRequest.Finder sluiceCurrentRequest(RequestReader reader, WebAnswers answers) {
        return new ServletRequests(reader, answers);
    }

    private static <T extends jakarta.servlet.Filter> FilterRegistrationBean<T> registration(
            T filter, int order, EnumSet<DispatcherType> dispatches) {
        FilterRegistrationBean<T> registration = new FilterRegistrationBean<>(filter);
        registration.setOrder(order);
        registration.setDispatcherTypes(dispatches);
        return registration;
    }
}
