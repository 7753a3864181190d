package io.sluice.spring.boot.method;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.PathForm;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.boot.founding.FoundingDefault;
import io.sluice.spring.boot.named.NamedRuleConfiguration;
import io.sluice.spring.founding.LimitPointKind;
import io.sluice.spring.method.Admissions;
import io.sluice.spring.method.LimitAdvisor;
import io.sluice.spring.method.LimitInterceptor;
import io.sluice.spring.method.RulesOfMethods;
import io.sluice.spring.method.StageContinuation;
import io.sluice.spring.method.SubscriptionAdvisor;
import io.sluice.spring.method.plan.AnnotationReader;
import io.sluice.spring.method.plan.MethodPlans;
import io.sluice.spring.method.plan.RateLimitedKind;
import io.sluice.spring.named.NamedRules;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

/** Applies {@code @RateLimited} and {@code @LimitPoint} to methods. */
@AutoConfiguration(afterName = "io.sluice.spring.boot.SluiceAutoConfiguration")
@ConditionalOnBean(Evaluator.class)
@ConditionalOnBooleanProperty(name = "sluice.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "sluice.annotations.enabled", matchIfMissing = true)
@EnableConfigurationProperties(AnnotationProperties.class)
@Import({MethodLimitAutoConfiguration.Proxies.class, NamedRuleConfiguration.class})
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class MethodLimitAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodPlans sluiceMethodPlans(Environment environment) {
        return new MethodPlans(new AnnotationReader(List.of(
                new RateLimitedKind(environment::resolveRequiredPlaceholders, FoundingDefault.in(environment)),
                new LimitPointKind())));
    }

    /**
     * Creates none of the beans that decide. Advisors exist before other beans; creating other beans early would exclude them
     * from post-processing.
     */
    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LimitAdvisor sluiceLimitAdvisor(
            MethodPlans plans,
            Environment environment,
            ObjectProvider<Admissions> admissions,
            ObjectProvider<CurrentRequest.Finder> finders,
            BeanFactory beans,
            ObjectProvider<TaskDecorator> decorators) {
        AnnotationProperties properties =
                Binder.get(environment).bindOrCreate("sluice.annotations", AnnotationProperties.class);
        Supplier<CurrentRequest.Finder> finder =
                SingletonSupplier.of(() -> finders.getIfAvailable(() -> Optional::empty));
        return new LimitAdvisor(
                plans,
                new LimitInterceptor(
                        plans,
                        SingletonSupplier.of(admissions::getObject),
                        () -> finder.get().current(),
                        SingletonSupplier.of(() -> StageContinuation.of(beans, decorators))),
                properties.order());
    }

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static SubscriptionAdvisor sluiceSubscriptionAdvisor(MethodPlans plans) {
        return new SubscriptionAdvisor(plans);
    }

    @Bean
    @ConditionalOnMissingBean
    static Admissions sluiceAdmissions(
            Evaluator evaluator,
            ObjectProvider<Clock> clock,
            ObjectProvider<PathForm> paths,
            Environment environment,
            NamedRules named) {
        String service =
                environment.getProperty("sluice.service", environment.getProperty("spring.application.name", ""));
        return new Admissions(
                evaluator,
                clock.getIfAvailable(Clock::system),
                paths.getIfAvailable(() -> PathForm.STRICT),
                service.isEmpty() ? null : service,
                named);
    }

    @Bean
    @ConditionalOnMissingBean
    static RulesOfMethods sluiceRulesOfMethods(MethodPlans plans) {
        return new RulesOfMethods(plans);
    }

    /** Ensures that a proxy creator exists. It proxies classes unless the application chooses otherwise. */
    static final class Proxies implements ImportBeanDefinitionRegistrar, org.springframework.context.EnvironmentAware {

        private boolean ofClasses = true;

        @Override
        public void setEnvironment(Environment environment) {
            ofClasses = environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            if (ofClasses) {
                AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
            }
        }
    }
}
