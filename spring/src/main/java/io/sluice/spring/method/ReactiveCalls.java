package io.sluice.spring.method;

import io.sluice.spring.CurrentRequest;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.method.expression.Call;
import io.sluice.spring.method.plan.MethodPlan;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.context.ContextView;

/**
 * Calls that end when their publisher ends. Each subscription is decided, and calls the method, on its own. Kotlin coroutines and
 * other reactive types are converted from and to publishers. Loaded only if Reactor is on the class path. Stateless.
 */
final class ReactiveCalls {

    private ReactiveCalls() {}

    static Object mono(
            MethodPlan plan,
            MethodInvocation invocation,
            Admissions admissions,
            Supplier<Optional<CurrentRequest>> finder) {
        MethodInvocation template = LimitInterceptor.again(invocation);
        return adapted(plan, Mono.deferContextual(context -> answers(
                        plan, template, admissions, call(template, context, finder))
                .flatMap(Mono::from)));
    }

    static Object flux(
            MethodPlan plan,
            MethodInvocation invocation,
            Admissions admissions,
            Supplier<Optional<CurrentRequest>> finder) {
        MethodInvocation template = LimitInterceptor.again(invocation);
        return adapted(plan, Flux.deferContextual(context -> answers(
                        plan, template, admissions, call(template, context, finder))
                .flatMapMany(Flux::from)));
    }

    private static Object adapted(MethodPlan plan, Publisher<?> limited) {
        ReactiveAdapter adapter = plan.adapter();
        return adapter == null ? limited : adapter.fromPublisher(limited);
    }

    /** Returns a publisher that proceeds with a new invocation for each subscription. */
    static Object eachMono(MethodPlan plan, MethodInvocation invocation) {
        MethodInvocation template = LimitInterceptor.again(invocation);
        return adapted(plan, Mono.defer(() -> Mono.from(proceed(plan, template))));
    }

    /** Returns a publisher that proceeds with a new invocation for each subscription. */
    static Object eachFlux(MethodPlan plan, MethodInvocation invocation) {
        MethodInvocation template = LimitInterceptor.again(invocation);
        return adapted(plan, Flux.defer(() -> proceed(plan, template)));
    }

    private static Publisher<?> proceed(MethodPlan plan, MethodInvocation template) {
        try {
            return publisher(plan, LimitInterceptor.again(template).proceed());
        } catch (Throwable e) {
            throw Exceptions.propagate(e);
        }
    }

    private static Call call(
            MethodInvocation invocation, ContextView context, Supplier<Optional<CurrentRequest>> finder) {
        Optional<CurrentRequest> found = context.getOrEmpty(CurrentRequest.class);
        return new Call(invocation.getArguments(), found.isPresent() ? () -> found : finder);
    }

    /** Returns the publisher of the method, or of its fallback. */
    private static Mono<Publisher<?>> answers(
            MethodPlan plan, MethodInvocation template, Admissions admissions, Call call) {
        return Mono.<HeldPermits>create(sink -> admit(sink, plan, admissions, call))
                .<Publisher<?>>map(held -> held(plan, template, held))
                .onErrorResume(
                        RateLimitExceededException.class,
                        refusal -> Mono.fromSupplier(() -> refused(plan, template, refusal)));
    }

    /**
     * Admits one subscription. If it is cancelled before it is admitted, it holds no permits. After its admission, the publisher that it
     * subscribed to releases the permits.
     */
    private static void admit(MonoSink<HeldPermits> sink, MethodPlan plan, Admissions admissions, Call call) {
        CompletableFuture<HeldPermits> admission = admissions.admitLater(plan, call);
        CompletionStage<HeldPermits> came = admission;
        if (admission.isDone()) {
            came.whenComplete((held, failure) -> tell(sink, held, failure));
            return;
        }
        sink.onCancel(() -> {
            if (!admission.cancel(false)) {
                came.thenAccept(HeldPermits::close);
            }
        });
        Executor here = EventLoops.here();
        came.whenComplete((held, failure) -> {
            try {
                here.execute(() -> tell(sink, held, failure));
            } catch (RejectedExecutionException e) {
                if (held != null) {
                    held.close();
                }
                sink.error(e);
            }
        });
    }

    private static void tell(MonoSink<HeldPermits> sink, @Nullable HeldPermits held, @Nullable Throwable failure) {
        if (held != null) {
            sink.success(held);
        } else {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            sink.error(cause == null ? new IllegalStateException("no decision") : cause);
        }
    }

    private static Publisher<?> held(MethodPlan plan, MethodInvocation template, HeldPermits held) {
        Publisher<?> publisher;
        try {
            publisher = proceed(plan, template);
        } catch (Throwable e) {
            held.close();
            throw e;
        }
        if (held == HeldPermits.NOTHING) {
            return publisher;
        }
        return publisher instanceof Mono<?> mono
                ? mono.doOnSuccess(held::returned).doFinally(signal -> held.close())
                : Flux.from(publisher)
                        .doOnNext(held::seen)
                        .doOnComplete(held::completed)
                        .doFinally(signal -> held.close());
    }

    private static Publisher<?> refused(
            MethodPlan plan, MethodInvocation template, RateLimitExceededException refusal) {
        try {
            Object returned = LimitInterceptor.refused(plan, template, refusal);
            return KotlinDetector.isSuspendingFunction(template.getMethod())
                    ? ofCoroutine(returned)
                    : publisher(plan, returned);
        } catch (Throwable e) {
            throw Exceptions.propagate(e);
        }
    }

    /**
     * Returns a publisher of the result. The fallback of a suspend function may be a plain function, which returns a value or a flow
     * instead of a publisher.
     */
    private static Publisher<?> ofCoroutine(@Nullable Object returned) {
        if (returned instanceof Publisher<?> publisher) {
            return publisher;
        }
        ReactiveAdapter adapter = returned == null
                ? null
                : ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned.getClass());
        return adapter == null || returned == null ? Mono.justOrEmpty(returned) : adapter.toPublisher(returned);
    }

    private static Publisher<?> publisher(MethodPlan plan, @Nullable Object returned) {
        ReactiveAdapter adapter = plan.adapter();
        if (adapter != null && returned != null) {
            return adapter.toPublisher(returned);
        }
        if (returned instanceof Publisher<?> publisher) {
            return publisher;
        }
        throw new IllegalStateException("the method returned " + returned + " (expected: a publisher)");
    }
}
