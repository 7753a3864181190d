package io.sluice.spring.method;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * Calls that return an asynchronous result of Spring MVC. They hold their permits until Spring has the result, or until the request ends
 * without a result. The callbacks of the result belong to the application, so Spring is asked instead of the result. Loaded only if Spring
 * MVC is on the class path. Stateless.
 */
final class WebAsyncCalls {

    private WebAsyncCalls() {}

    /** Hands the permits over to the current request. Returns false if the caller has to release them now. */
    static boolean handOver(@Nullable Object returned, Method method, HeldPermits held) {
        Object result = returned instanceof HttpEntity<?> entity ? entity.getBody() : returned;
        if (!isAsynchronous(result, method)
                || !(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current)) {
            return false;
        }
        WebAsyncManager manager = WebAsyncUtils.getAsyncManager(current.getRequest());
        End end = new End(held, current.getRequest());
        manager.registerDeferredResultInterceptor(end, end);
        manager.registerCallableInterceptor(end, end);
        current.registerDestructionCallback(
                End.class.getName() + System.identityHashCode(end),
                end::threadReturned,
                RequestAttributes.SCOPE_REQUEST);
        return true;
    }

    /**
     * Returns whether a result is asynchronous. A {@link Callable} may have any purpose, so it counts only if Spring MVC calls the method.
     */
    private static boolean isAsynchronous(@Nullable Object result, Method method) {
        return result instanceof DeferredResult<?>
                || result instanceof WebAsyncTask<?>
                || result instanceof ResponseBodyEmitter
                || result instanceof StreamingResponseBody
                || (result instanceof Callable<?> && AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class));
    }

    /** Releases the permits at the end of a request's asynchronous result. */
    private record End(HeldPermits held, HttpServletRequest request)
            implements DeferredResultProcessingInterceptor, CallableProcessingInterceptor {

        /**
         * Runs when the request's thread returns. If it started no asynchronous processing, for example after a failure, the call has
         * ended.
         */
        void threadReturned() {
            if (!request.isAsyncStarted()) {
                held.close();
            }
        }

        @Override
        public <T> void postProcess(NativeWebRequest of, DeferredResult<T> task, @Nullable Object result) {
            ended(result);
        }

        @Override
        public <T> void postProcess(NativeWebRequest of, Callable<T> task, @Nullable Object result) {
            ended(result);
        }

        private void ended(@Nullable Object result) {
            if (result instanceof Throwable) {
                held.close();
            } else {
                held.returned(result);
            }
        }

        @Override
        public <T> void afterCompletion(NativeWebRequest of, DeferredResult<T> task) {
            held.close();
        }

        @Override
        public <T> void afterCompletion(NativeWebRequest of, Callable<T> task) {
            held.close();
        }
    }
}
