package io.sluice.spring.web.reactive;

import io.sluice.core.time.Clock;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.spring.web.BodyBuffer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;

/**
 * Reads the beginning of a body piece by piece. Afterwards it provides the whole body: first the part that was read, then the
 * rest as it arrives, with backpressure. Signals are serial, as Reactive Streams requires; the reader may be another thread.
 *
 * <p>The part that was read is copied. So a request that is refused, or whose caller disconnects, has no buffers to release.
 */
final class BodyHead implements CoreSubscriber<DataBuffer> {

    private static final long MAY_TAKE_NANOS = 10_000_000_000L;

    private final Sinks.One<byte[]> head = Sinks.one();
    private final BodyBuffer read;
    private @Nullable Subscription upstream;
    private @Nullable CoreSubscriber<? super DataBuffer> reader;
    private boolean told;
    private boolean ended;
    private boolean closed;
    private @Nullable Throwable failure;

    BodyHead(BodyBuffer read) {
        this.read = read;
    }

    /**
     * Returns the beginning of the body: the whole body, unless it is larger than the part that rules read. On an error the
     * request must not pass.
     */
    Mono<byte[]> of(Flux<DataBuffer> body, Clock clock) {
        return Mono.defer(() -> {
            body.subscribe(this);
            Clock.Alarm alarm = clock.at(
                    clock.nanoTime() + MAY_TAKE_NANOS,
                    () -> head.tryEmitError(
                            new RefusedRequestException(408, "body: too slow (expected: its fields within 10 s)")));
            return head.asMono().doFinally(signal -> alarm.cancel());
        });
    }

    /** Returns the whole body, for a single reader. */
    Flux<DataBuffer> whole(DataBufferFactory buffers) {
        Flux<DataBuffer> rest = Flux.from(subscriber -> rest(Operators.toCoreSubscriber(subscriber)));
        return read.size() == 0 ? rest : Flux.concat(Mono.fromSupplier(() -> buffers.wrap(read.array())), rest);
    }

    /** Frees the memory when the request has ended. */
    void close() {
        Subscription abandoned;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            abandoned = ended || reader != null ? null : upstream;
        }
        read.close();
        if (abandoned != null) {
            abandoned.cancel();
        }
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        synchronized (this) {
            upstream = subscription;
        }
        more();
    }

    @Override
    public void onNext(DataBuffer piece) {
        CoreSubscriber<? super DataBuffer> next = current();
        if (next != null) {
            next.onNext(piece);
            return;
        }
        boolean kept;
        try {
            kept = keep(piece);
        } finally {
            DataBufferUtils.release(piece);
        }
        if (kept) {
            more();
        }
    }

    @Override
    public void onError(Throwable broken) {
        CoreSubscriber<? super DataBuffer> next;
        synchronized (this) {
            ended = true;
            failure = broken;
            next = reader;
        }
        if (next == null) {
            head.tryEmitError(broken);
        } else {
            next.onError(broken);
        }
    }

    @Override
    public void onComplete() {
        CoreSubscriber<? super DataBuffer> next;
        synchronized (this) {
            ended = true;
            next = reader;
        }
        if (next == null) {
            tell();
        } else {
            next.onComplete();
        }
    }

    private synchronized @Nullable CoreSubscriber<? super DataBuffer> current() {
        return reader;
    }

    /** Keeps a piece. Returns false if there is no room for it, because a server may send larger pieces than requested. */
    private boolean keep(DataBuffer piece) {
        int count = piece.readableByteCount();
        if (!hasRoom(count)) {
            return false;
        }
        piece.read(read.array(), read.size(), count);
        read.advance(count);
        return true;
    }

    private boolean hasRoom(int count) {
        try {
            read.makeRoom(count);
            return true;
        } catch (RefusedRequestException e) {
            head.tryEmitError(e);
            return false;
        }
    }

    /** Asks for the next piece after making room for it. */
    private void more() {
        if (read.isFull()) {
            tell();
            return;
        }
        Subscription source;
        synchronized (this) {
            source = upstream;
        }
        if (source != null && hasRoom(1)) {
            source.request(1);
        }
    }

    private void tell() {
        synchronized (this) {
            if (told) {
                return;
            }
            told = true;
        }
        read.trim();
        head.tryEmitValue(read.array());
    }

    /** Connects the reader. Demand is deferred until the reader is registered, because signals may arrive in the meantime. */
    private void rest(CoreSubscriber<? super DataBuffer> subscriber) {
        Operators.DeferredSubscription demand = new Operators.DeferredSubscription();
        subscriber.onSubscribe(demand);
        Subscription source;
        Throwable broken;
        synchronized (this) {
            source = ended ? null : upstream;
            broken = reader == null ? failure : new IllegalStateException("body: read twice (expected: once)");
            if (broken == null) {
                reader = subscriber;
            }
        }
        if (broken != null) {
            subscriber.onError(broken);
        } else if (source == null) {
            subscriber.onComplete();
        } else {
            demand.set(source);
        }
    }
}
