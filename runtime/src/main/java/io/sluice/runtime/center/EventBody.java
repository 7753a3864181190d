package io.sluice.runtime.center;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An answer that consists of events and does not end. The next bytes are read after the events before them were handled. */
final class EventBody implements BodySubscriber<String> {

    private final EventParser parser;
    private final Executor handling;
    private final Runnable heard;
    private final Consumer<ServerEvent> events;
    private final CompletableFuture<String> end = new CompletableFuture<>();
    private @Nullable Subscription subscription;

    /**
     * Creates the body.
     *
     * @param handling runs the handling of events
     * @param heard called when bytes have arrived, and after events were handled
     */
    EventBody(int mostBytes, Executor handling, Runnable heard, Consumer<ServerEvent> events) {
        this.parser = new EventParser(mostBytes);
        this.handling = handling;
        this.heard = heard;
        this.events = events;
    }

    @Override
    public CompletionStage<String> getBody() {
        return end;
    }

    @Override
    public void onSubscribe(Subscription begun) {
        subscription = begun;
        begun.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        heard.run();
        List<ServerEvent> some = new ArrayList<>();
        buffers.forEach(buffer -> some.addAll(parser.parse(buffer)));
        if (some.isEmpty()) {
            more();
            return;
        }
        try {
            handling.execute(() -> {
                some.forEach(events);
                heard.run();
                more();
            });
        } catch (RejectedExecutionException e) {
            // The body was closed in the meantime.
        }
    }

    private void more() {
        Subscription begun = subscription;
        if (begun != null) {
            begun.request(1);
        }
    }

    @Override
    public void onError(Throwable failure) {
        end.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        end.complete("");
    }
}
