package io.sluice.node.gateway.chain;

import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.spi.GatewayCall;
import io.vertx.core.Context;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One request on its way through the chain: what it is, and what it is judged by. For its event loop alone. */
final class ChainRun {

    private final GatewayExchange exchange;
    private final GatewayState state;
    private final Context loop;
    private final FailureLog failures;
    private @Nullable ExchangeCall call;

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

    /** As handlers see it; the same one for all of them. */
    GatewayCall call() {
        return known();
    }

    /** The head of the answer is here. */
    void answered(int status) {
        known().answered(status);
    }

    /**
     * Goes on with what a stage says: at once if it has said it, else on the event loop, whoever completes it.
     *
     * @param then gets what was said, or why nothing was
     */
    @SuppressWarnings("FutureReturnValueIgnored") // what is done with it fails nobody
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

    /** Does it, and answers 500 if that fails: a request is never forgotten. */
    void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            failures.failed(this, "a request", e);
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
