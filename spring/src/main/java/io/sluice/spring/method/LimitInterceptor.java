package io.sluice.spring.method;

import io.sluice.spring.CurrentRequest;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.method.expression.Call;
import io.sluice.spring.method.plan.Fallback;
import io.sluice.spring.method.plan.MethodPlan;
import io.sluice.spring.method.plan.MethodPlans;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ClassUtils;

/** Applies the limits of annotated methods. The method's return type determines when a call ends. Thread-safe. */
public final class LimitInterceptor implements MethodInterceptor {

    private static final boolean MVC = Stream.of(
                    "jakarta.servlet.http.HttpServletRequest",
                    "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter")
            .allMatch(type -> ClassUtils.isPresent(type, LimitInterceptor.class.getClassLoader()));

    private final MethodPlans plans;
    private final Supplier<Admissions> admissions;
    private final Supplier<Optional<CurrentRequest>> finder;
    private final Supplier<StageContinuation> onward;

    /**
     * Creates an interceptor.
     *
     * @param admissions the admissions, resolved on the first call, because their dependencies are created after the proxies
     * @param finder the finder of the current thread's request
     * @param onward the continuation of stages, resolved for the first stage, for the same reason
     */
    public LimitInterceptor(
            MethodPlans plans,
            Supplier<Admissions> admissions,
            Supplier<Optional<CurrentRequest>> finder,
            Supplier<StageContinuation> onward) {
        this.plans = plans;
        this.admissions = admissions;
        this.finder = finder;
        this.onward = onward;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        MethodPlan plan = plan(plans, invocation);
        if (plan == null) {
            return invocation.proceed();
        }
        return switch (plan.ending()) {
            case RETURN -> untilReturn(plan, invocation);
            case STAGE ->
                new StageCall(plan, again(invocation), onward.get())
                        .run(admissions.get(), new Call(invocation.getArguments(), finder));
            case MONO -> ReactiveCalls.mono(plan, invocation, admissions.get(), finder);
            case FLUX -> ReactiveCalls.flux(plan, invocation, admissions.get(), finder);
        };
    }

    /** Returns the limits of the invoked method, or null if it has none. */
    static @Nullable MethodPlan plan(MethodPlans plans, MethodInvocation invocation) {
        Object target = invocation.getThis();
        return plans.of(
                invocation.getMethod(),
                target == null ? invocation.getMethod().getDeclaringClass() : target.getClass());
    }

    private @Nullable Object untilReturn(MethodPlan plan, MethodInvocation invocation) throws Throwable {
        HeldPermits held;
        try {
            held = admissions.get().admit(plan, new Call(invocation.getArguments(), finder));
        } catch (RateLimitExceededException refusal) {
            return refused(plan, invocation, refusal);
        } catch (InterruptedException e) {
            throw interrupted(invocation, e);
        }
        if (held == HeldPermits.NOTHING) {
            return invocation.proceed();
        }
        boolean handedOver = false;
        try {
            Object returned = invocation.proceed();
            if (held.settles() && returned instanceof Stream<?> stream) {
                handedOver = true;
                return WatchedStream.of(stream, held);
            }
            handedOver = MVC && WebAsyncCalls.handOver(returned, invocation.getMethod(), held);
            if (!handedOver) {
                held.returned(returned);
            }
            return returned;
        } finally {
            if (!handedOver) {
                held.close();
            }
        }
    }

    /** Returns the result of the fallback, or throws the refusal if there is no fallback. */
    static @Nullable Object refused(MethodPlan plan, MethodInvocation invocation, RateLimitExceededException refusal)
            throws Throwable {
        Fallback fallback = plan.fallback(refusal);
        if (fallback == null) {
            throw refusal;
        }
        return fallback.answer(invocation.getThis(), invocation.getArguments(), refusal);
    }

    /** Returns an invocation that can proceed after the interceptor has returned. */
    static MethodInvocation again(MethodInvocation invocation) {
        return invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
    }

    private static Exception interrupted(MethodInvocation invocation, InterruptedException e) {
        for (Class<?> declared : invocation.getMethod().getExceptionTypes()) {
            if (declared.isAssignableFrom(InterruptedException.class)) {
                return e;
            }
        }
        Thread.currentThread().interrupt();
        CancellationException left = new CancellationException("interrupted while waiting for a rate limit");
        left.initCause(e);
        return left;
    }
}
