package io.sluice.spring.method;

import java.util.Comparator;
import java.util.Spliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a returned stream, watched while the caller reads them. The call ends when the stream is read to its end, fails or is
 * closed. It is read sequentially, even by a parallel stream, so that there is a last element. Not thread-safe.
 */
final class WatchedStream<T> implements Spliterator<T> {

    private final Spliterator<T> elements;
    private final HeldPermits held;

    private WatchedStream(Spliterator<T> elements, HeldPermits held) {
        this.elements = elements;
        this.held = held;
    }

    /** Returns a stream of the same elements. */
    static <T> Stream<T> of(Stream<T> stream, HeldPermits held) {
        Spliterator<T> elements = new WatchedStream<>(stream.spliterator(), held);
        return StreamSupport.stream(elements, false).onClose(() -> {
            try {
                stream.close();
            } finally {
                held.close();
            }
        });
    }

    @Override
    public boolean tryAdvance(Consumer<? super T> action) {
        boolean more = advanced(action);
        if (!more) {
            held.completed();
        }
        return more;
    }

    private boolean advanced(Consumer<? super T> action) {
        try {
            return elements.tryAdvance(element -> {
                held.seen(element);
                action.accept(element);
            });
        } catch (Throwable e) {
            held.close();
            throw e;
        }
    }

    @Override
    public @Nullable Spliterator<T> trySplit() {
        return null;
    }

    @Override
    public long estimateSize() {
        return elements.estimateSize();
    }

    /** Returns the characteristics without the size, because operations such as {@code count} would otherwise not read the elements. */
    @Override
    public int characteristics() {
        return elements.characteristics() & ~(SIZED | SUBSIZED);
    }

    @Override
    public @Nullable Comparator<? super T> getComparator() {
        return elements.getComparator();
    }
}
