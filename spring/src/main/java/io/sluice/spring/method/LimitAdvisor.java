package io.sluice.spring.method;

import io.sluice.spring.method.plan.MethodPlans;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;

/** Selects the methods that are limited. Their annotations are checked at that point, while Spring creates the proxies. */
public final class LimitAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1;

    private final transient LimitInterceptor interceptor;
    private final transient Pointcut pointcut;

    public LimitAdvisor(MethodPlans plans, LimitInterceptor interceptor, int order) {
        this.interceptor = interceptor;
        this.pointcut = new Limited(plans);
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return interceptor;
    }

    /** Returns whether the annotations could be on a class or its methods. */
    static boolean mayBeLimited(Class<?> type, MethodPlans plans) {
        return AnnotationUtils.isCandidateClass(type, plans.annotations());
    }

    private static final class Limited extends StaticMethodMatcherPointcut {

        private final MethodPlans plans;
        private final Set<Class<?>> seen = ConcurrentHashMap.newKeySet();

        Limited(MethodPlans plans) {
            this.plans = plans;
            setClassFilter(this::isCandidate);
        }

        private boolean isCandidate(Class<?> type) {
            boolean candidate = mayBeLimited(type, plans);
            if (candidate && seen.add(type)) {
                plans.warnOfUnreachable(type);
            }
            return candidate;
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return plans.of(method, targetClass) != null;
        }
    }
}
