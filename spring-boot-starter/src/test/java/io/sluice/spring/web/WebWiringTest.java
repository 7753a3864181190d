package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.boot.web.ReactiveLimitAutoConfiguration;
import io.sluice.spring.boot.web.ServletLimitAutoConfiguration;
import io.sluice.spring.internal.RulesOfTest;
import io.sluice.spring.web.reactive.CurrentRequestWebFilter;
import io.sluice.spring.web.reactive.EarlyLimitWebFilter;
import io.sluice.spring.web.reactive.LimitWebFilter;
import io.sluice.spring.web.reactive.RefusalWebExceptionHandler;
import io.sluice.spring.web.servlet.LimitFilter;
import io.sluice.spring.web.servlet.RefusalResolver;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Which beans are defined, and when. */
final class WebWiringTest {

    private static final RulesOfTest RULES = new RulesOfTest("rules: []");

    private final WebApplicationContextRunner servlet = new WebApplicationContextRunner()
            .withUserConfiguration(SluiceBeans.class)
            .withBean(Clock.class, Clock::system)
            .withBean(RulesOfTest.class, () -> RULES)
            .withConfiguration(
                    AutoConfigurations.of(ServletLimitAutoConfiguration.class, ReactiveLimitAutoConfiguration.class));

    private final ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
            .withUserConfiguration(SluiceBeans.class)
            .withBean(Clock.class, Clock::system)
            .withBean(RulesOfTest.class, () -> RULES)
            .withConfiguration(
                    AutoConfigurations.of(ServletLimitAutoConfiguration.class, ReactiveLimitAutoConfiguration.class));

    @Test
    void eachStackHasItsOwnFilterAndNotTheOther() {
        servlet.run(context -> assertThat(context)
                .hasSingleBean(LimitFilter.class)
                .hasSingleBean(CurrentRequest.Finder.class)
                .hasSingleBean(RefusalResolver.class)
                .doesNotHaveBean(LimitWebFilter.class));
        reactive.run(context -> assertThat(context)
                .hasSingleBean(LimitWebFilter.class)
                .hasSingleBean(CurrentRequestWebFilter.class)
                .hasSingleBean(RefusalWebExceptionHandler.class)
                .doesNotHaveBean(LimitFilter.class));
        new ApplicationContextRunner()
                .withUserConfiguration(SluiceBeans.class)
                .withBean(Clock.class, Clock::system)
                .withBean(RulesOfTest.class, () -> RULES)
                .withConfiguration(AutoConfigurations.of(
                        ServletLimitAutoConfiguration.class, ReactiveLimitAutoConfiguration.class))
                .run(context -> assertThat(context).doesNotHaveBean(WebLimits.class));
    }

    @Test
    void theFilterForEarlyRulesRunsBeforeSpringSecurityAndBeforeTheOther() {
        reactive.run(
                context -> assertThat(context.getBean(EarlyLimitWebFilter.class).getOrder())
                        .isEqualTo(-110));
        reactive.withPropertyValues("sluice.web.order=-200").run(context -> assertThat(
                        context.getBean(EarlyLimitWebFilter.class).getOrder())
                .isEqualTo(-201));
        servlet.withPropertyValues("sluice.web.early-order=-500").run(context -> assertThat(
                        context.getBean("sluiceEarlyLimitFilterRegistration", FilterRegistrationBean.class)
                                .getOrder())
                .isEqualTo(-500));
    }

    @Test
    void withoutTheFilterRefusedCallsAreStillAnswered() {
        servlet.withPropertyValues("sluice.web.enabled=false").run(context -> assertThat(context)
                .doesNotHaveBean(LimitFilter.class)
                .doesNotHaveBean("sluiceLimitFilterRegistration")
                .doesNotHaveBean("sluiceEarlyLimitFilterRegistration")
                .hasSingleBean(RefusalResolver.class)
                .hasSingleBean(CurrentRequest.Finder.class));
        reactive.withPropertyValues("sluice.web.enabled=false").run(context -> assertThat(context)
                .doesNotHaveBean(LimitWebFilter.class)
                .hasSingleBean(RefusalWebExceptionHandler.class)
                .hasSingleBean(CurrentRequestWebFilter.class));
    }

    @Test
    void definesNoBeansWhenDisabled() {
        servlet.withPropertyValues("sluice.enabled=false").run(context -> assertThat(context)
                .doesNotHaveBean(LimitFilter.class)
                .doesNotHaveBean(RefusalResolver.class)
                .doesNotHaveBean(WebLimits.class));
        reactive.withPropertyValues("sluice.enabled=false").run(context -> assertThat(context)
                .doesNotHaveBean(LimitWebFilter.class)
                .doesNotHaveBean(RefusalWebExceptionHandler.class)
                .doesNotHaveBean(WebLimits.class));
    }

    @Test
    void beansOfTheApplicationReplaceOurs() {
        BodyMemory memory = new BodyMemory(1);
        IdentityResolver nobody = principal -> Map.of();
        CurrentRequest.Finder finder = Optional::empty;
        servlet.withBean(BodyMemory.class, () -> memory)
                .withBean(IdentityResolver.class, () -> nobody)
                .withBean(CurrentRequest.Finder.class, () -> finder)
                .run(context -> {
                    assertThat(context).getBean(BodyMemory.class).isSameAs(memory);
                    assertThat(context).getBean(IdentityResolver.class).isSameAs(nobody);
                    assertThat(context).getBean(CurrentRequest.Finder.class).isSameAs(finder);
                });
        reactive.withBean(BodyMemory.class, () -> memory)
                .withBean(IdentityResolver.class, () -> nobody)
                .run(context -> {
                    assertThat(context).getBean(BodyMemory.class).isSameAs(memory);
                    assertThat(context).getBean(IdentityResolver.class).isSameAs(nobody);
                });
    }

    @Test
    void withSpringSecurityItIdentifiesTheCaller() {
        servlet.run(context -> assertThat(context).getBean(VerifiedClaims.class).isInstanceOf(SecurityClaims.class));
        reactive.run(
                context -> assertThat(context).getBean(VerifiedClaims.class).isInstanceOf(SecurityClaims.class));
    }

    @Test
    void applicationsWithoutTheClassesStart() {
        servlet.withClassLoader(new FilteredClassLoader(HandlerExceptionResolver.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LimitFilter.class));
        reactive.withClassLoader(new FilteredClassLoader(DispatcherHandler.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LimitWebFilter.class));
        FilteredClassLoader noSecurity = new FilteredClassLoader("org.springframework.security");
        servlet.withClassLoader(noSecurity)
                .run(context ->
                        assertThat(context).getBean(VerifiedClaims.class).isSameAs(VerifiedClaims.NONE));
        reactive.withClassLoader(noSecurity)
                .run(context ->
                        assertThat(context).getBean(VerifiedClaims.class).isSameAs(VerifiedClaims.NONE));
    }

    @Test
    void invalidPropertiesAreReported() {
        servlet.withPropertyValues("sluice.web.most-waiting=-1").run(context -> assertThat(context.getStartupFailure())
                .hasRootCauseMessage("sluice.web.most-waiting: -1 (expected: 0 or more requests)"));
        reactive.withPropertyValues("sluice.web.early-order=0").run(context -> assertThat(context.getStartupFailure())
                .hasRootCauseMessage("sluice.web.early-order: 0 (expected: less than sluice.web.order, which is -90)"));
        reactive.withPropertyValues("sluice.web.exclude=no-slash")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(IllegalArgumentException.class));
    }
}
