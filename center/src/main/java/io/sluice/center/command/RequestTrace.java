package io.sluice.center.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The request that a thread carries out: its key, and the commands that it has stored. With these commands, the answer to a request that
 * fails later does not claim that nothing was changed. Used only by that thread.
 */
public final class RequestTrace implements AutoCloseable {

    private static final ThreadLocal<@Nullable RequestTrace> CURRENT = new ThreadLocal<>();

    private final Optional<RequestKey> key;
    private final List<Long> stored = new ArrayList<>();

    private RequestTrace(Optional<RequestKey> key) {
        this.key = key;
    }

    /** Starts the trace of the request that this thread carries out until the trace is closed. */
    public static RequestTrace begin(Optional<RequestKey> key) {
        RequestTrace trace = new RequestTrace(key);
        CURRENT.set(trace);
        return trace;
    }

    /** Returns the request that this thread carries out. */
    static Optional<RequestTrace> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    /** Returns the numbers of the commands that the request of this thread has stored, one for each transaction. */
    public static List<Long> currentlyStored() {
        return current().map(RequestTrace::stored).orElse(List.of());
    }

    /** Returns the numbers of the commands that the request has stored, one for each transaction. */
    public List<Long> stored() {
        return List.copyOf(stored);
    }

    /** Returns the key until a command has used it. */
    Optional<RequestKey> unusedKey() {
        return stored.isEmpty() ? key : Optional.empty();
    }

    void stored(long command) {
        stored.add(command);
    }

    @Override
    public void close() {
        CURRENT.remove();
    }
}
