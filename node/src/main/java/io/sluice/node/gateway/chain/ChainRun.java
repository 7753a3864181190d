package io.sluice.node.gateway.chain;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.spi.GatewayCall;
import io.sluice.rules.evaluate.Ruling;
import io.vertx.core.Context;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One request on its way through the chain, with the state that applies to it. Used only by its event loop. */
final class ChainRun {

    private final GatewayExchange exchange;
    private final GatewayState state;
    private final Context loop;
    private final FailureLog failures;
    private @Nullable ExchangeCall call;
    private Ruling.@Nullable Settled ruling;
    private @Nullable AnswerSettlement settlement;

    ChainRun(GatewayExchange exchange, GatewayState state, Context loop, FailureLog failures) {
        this.exchange = exchange;
        this.state = state;
        this.loop = loop;
        this.failures = failures;
    }

    GatewayExchange exchange() {
        return exchange;
    }

    GatewayState state() {
        return state;
    }

    /** Returns the last ruling on the request; null if there was none. */
    Ruling.@Nullable Settled ruling() {
        return ruling;
    }

    void ruled(Ruling.Settled last) {
        ruling = last;
    }

    /** Returns the settlement of the request's reservation; null if it has no reservation. */
    @Nullable
    AnswerSettlement settlement() {
        return settlement;
    }

    void settledBy(AnswerSettlement own) {
        settlement = own;
    }

    /** Returns the view of the request for all handlers. */
    GatewayCall call() {
        return known();
    }

    /** Called when the head of the response has arrived. */
    void answered(int status) {
        known().answered(status);
    }

    /**
     * Continues with the result of a stage: immediately if the stage is complete, otherwise on the event loop, whichever thread completes
     * it.
     *
     * @param then receives the result, or the failure
     */
    @SuppressWarnings("FutureReturnValueIgnored") // guarded() handles failures of the callback
    <T> void await(CompletionStage<T> stage, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            future.whenComplete(
                    (said, failure) -> loop.runOnContext(back -> guarded(() -> then.accept(said, cause(failure)))));
            return;
        }
        T said = null;
        Throwable failure = null;
        try {
            said = future.join();
        } catch (CompletionException | CancellationException e) {
            failure = cause(e);
        }
        then.accept(said, failure);
    }

    /** Runs a step and answers with 500 if it fails, so that every request is answered. */
    void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            CallbackFailures.rethrowIfBroken(e);
            failures.failed(this, "handling a request", e);
        }
    }

    private ExchangeCall known() {
        ExchangeCall known = call;
        if (known == null) {
            known = new ExchangeCall(exchange);
            call = known;
        }
        return known;
    }

    private static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
