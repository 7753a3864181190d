package io.sluice.runtime.center;

import io.sluice.runtime.fleet.LostCenterException;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** Collects a short answer. A longer one fails, and the rest of it is not read. */
final class BoundedBody implements BodySubscriber<String> {

    private final int mostBytes;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<String> text = new CompletableFuture<>();
    private @Nullable Subscription subscription;

    BoundedBody(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    @Override
    public CompletionStage<String> getBody() {
        return text;
    }

    @Override
    public void onSubscribe(Subscription begun) {
        subscription = begun;
        begun.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            byte[] some = new byte[buffer.remaining()];
            buffer.get(some);
            bytes.writeBytes(some);
        }
        Subscription begun = subscription;
        if (begun == null) {
            return;
        }
        if (bytes.size() > mostBytes) {
            begun.cancel();
            text.completeExceptionally(
                    new LostCenterException("its answer has more than " + mostBytes + " bytes", true));
        } else {
            begun.request(1);
        }
    }

    @Override
    public void onError(Throwable failure) {
        text.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        text.complete(bytes.toString(StandardCharsets.UTF_8));
    }
}
