package io.sluice.spring.method;

import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.method.expression.Call;
import io.sluice.spring.method.plan.MethodPlan;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call that ends when its stage completes. If it is decided immediately, the method runs on the calling thread, otherwise on
 * the executor of the {@link StageContinuation}. Cancelling the result cancels the wait or the method's stage. Each call needs
 * its own object.
 */
final class StageCall {

    private final MethodPlan plan;
    private final MethodInvocation invocation;
    private final StageContinuation onward;
    private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

    StageCall(MethodPlan plan, MethodInvocation invocation, StageContinuation onward) {
        this.plan = plan;
        this.invocation = invocation;
        this.onward = onward;
    }

    CompletionStage<@Nullable Object> run(Admissions admissions, Call call) {
        CompletableFuture<HeldPermits> admission;
        try {
            admission = admissions.admitLater(plan, call);
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
            return result;
        }
        CompletionStage<HeldPermits> came = admission;
        if (admission.isDone()) {
            came.whenComplete(this::admitted);
        } else {
            whenLeft(() -> admission.cancel(false));
            Runnable rest = carrying(came);
            came.whenComplete((held, failure) -> goOn(rest, held));
        }
        return result;
    }

    private Runnable carrying(CompletionStage<HeldPermits> came) {
        Runnable rest = () -> came.whenComplete(this::admitted);
        try {
            return onward.carrying(rest);
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
            return rest;
        }
    }

    private void goOn(Runnable rest, @Nullable HeldPermits held) {
        try {
            if (!result.isDone()) {
                onward.executor().execute(rest);
                return;
            }
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
        if (held != null) {
            held.close();
        }
    }

    private void admitted(@Nullable HeldPermits held, @Nullable Throwable failure) {
        try {
            if (held != null) {
                go(held);
            } else if (cause(failure) instanceof RateLimitExceededException refusal) {
                follow(LimitInterceptor.refused(plan, invocation, refusal), HeldPermits.NOTHING);
            } else {
                result.completeExceptionally(cause(failure));
            }
        } catch (Throwable e) {
            if (held != null) {
                held.close();
            }
            result.completeExceptionally(e);
        }
    }

    private void go(HeldPermits held) throws Throwable {
        if (result.isDone()) {
            held.close();
        } else {
            follow(invocation.proceed(), held);
        }
    }

    private void follow(@Nullable Object returned, HeldPermits held) {
        if (!(returned instanceof CompletionStage<?> stage)) {
            throw new IllegalStateException("the method returned " + returned + " (expected: a stage)");
        }
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                held.returned(value);
                result.complete(value);
            } else {
                held.close();
                result.completeExceptionally(failure);
            }
        });
        whenLeft(() -> {
            held.close();
            if (stage instanceof Future<?> future) {
                future.cancel(true);
            }
        });
    }

    private void whenLeft(Runnable leave) {
        CompletionStage<@Nullable Object> over = result;
        over.whenComplete((value, failure) -> {
            if (result.isCancelled()) {
                leave.run();
            }
        });
    }

    private static Throwable cause(@Nullable Throwable failure) {
        if (failure instanceof CompletionException && failure.getCause() != null) {
            return failure.getCause();
        }
        return failure == null ? new IllegalStateException("no decision") : failure;
    }
}
