package io.sluice.spring.method;

import io.sluice.spring.method.plan.MethodPlan;
import io.sluice.spring.method.plan.MethodPlans;
import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;

/**
 * Calls a limited method that returns a publisher once for each subscription, each time through all its advice.
 *
 * <p>Spring Security's reactive interceptors proceed with the same invocation for each subscription. From the second subscription on, this
 * invocation has already passed the advice behind them, so the method would be called without its limits.
 */
public final class SubscriptionAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1;

    /** The order: outside of Spring Security and of almost all other advice. */
    private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

    private final transient MethodInterceptor interceptor;
    private final transient Pointcut pointcut;

    /** Creates an advisor for the methods that have these limits. */
    public SubscriptionAdvisor(MethodPlans plans) {
        this.interceptor = invocation -> proceed(plans, invocation);
        this.pointcut = new Publishing(plans);
        setOrder(ORDER);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return interceptor;
    }

    private static boolean returnsPublisher(MethodPlan plan) {
        return plan.ending() == MethodPlan.Ending.MONO || plan.ending() == MethodPlan.Ending.FLUX;
    }

    private static @Nullable Object proceed(MethodPlans plans, MethodInvocation invocation) throws Throwable {
        MethodPlan plan = LimitInterceptor.plan(plans, invocation);
        if (plan == null || !returnsPublisher(plan)) {
            return invocation.proceed();
        }
        return plan.ending() == MethodPlan.Ending.MONO
                ? ReactiveCalls.eachMono(plan, invocation)
                : ReactiveCalls.eachFlux(plan, invocation);
    }

    private static final class Publishing extends StaticMethodMatcherPointcut {

        private final MethodPlans plans;

        Publishing(MethodPlans plans) {
            this.plans = plans;
            setClassFilter(type -> LimitAdvisor.mayBeLimited(type, plans));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            MethodPlan plan = plans.of(method, targetClass);
            return plan != null && returnsPublisher(plan);
        }
    }
}
