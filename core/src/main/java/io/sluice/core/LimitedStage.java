package io.sluice.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call that starts once its limits let it pass, and that holds its permits until its stage completes. */
final class LimitedStage<T> {

    private final Limiter limiter;
    private final Executor executor;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    LimitedStage(Limiter limiter, Executor executor) {
        this.limiter = limiter;
        this.executor = executor;
    }

    CompletableFuture<T> start(CompletableFuture<Decision> wait, Supplier<? extends CompletionStage<T>> call) {
        CompletionStage<T> left = result;
        left.whenComplete((value, failure) -> wait.cancel(false));
        CompletionStage<Decision> came = wait;
        came.whenCompleteAsync((decision, failure) -> decided(decision, failure, call), executor);
        return result;
    }

    private void decided(
            @Nullable Decision decision, @Nullable Throwable failure, Supplier<? extends CompletionStage<T>> call) {
        if (decision == null) {
            result.completeExceptionally(failure == null ? new IllegalStateException("no decision") : failure);
        } else if (!decision.allowed()) {
            result.completeExceptionally(new LimitExceededException(decision));
        } else if (result.isDone()) {
            limiter.giveBack(decision);
        } else {
            make(limiter.hold(decision), call);
        }
    }

    private void make(Hold hold, Supplier<? extends CompletionStage<T>> call) {
        CompletionStage<T> made;
        try {
            made = call.get();
        } catch (Throwable e) {
            hold.close();
            result.completeExceptionally(e);
            return;
        }
        made.whenComplete((value, failure) -> {
            hold.close();
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        });
    }
}
