package io.sluice.envoy.server;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.health.v1.HealthGrpc;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Ends calls that a client could otherwise keep open forever: calls whose message does not arrive in time and, when the server stops, calls
 * that watch its health. Thread-safe.
 *
 * <p>gRPC has no such timeout: the client sets the deadline of a call, and the server's own limits apply to connections, not
 * to calls.
 */
final class OpenCalls implements ServerInterceptor, AutoCloseable {

    private static final String WATCH = HealthGrpc.getWatchMethod().getFullMethodName();

    private final Set<Open> unfinished = ConcurrentHashMap.newKeySet();
    private final Set<Open> watching = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService sweeping;
    private volatile boolean stopping;

    /** @param messageWithin the minimum time that a client has to send its message; the maximum is twice as long */
    OpenCalls(Duration messageWithin) {
        this.sweeping = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread sweeper = new Thread(task, "sluice-unfinished-calls");
            sweeper.setDaemon(true);
            return sweeper;
        });
        keepSweeping(messageWithin);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Open open = new Open(call);
        unfinished.add(open);
        boolean watches = WATCH.equals(call.getMethodDescriptor().getFullMethodName());
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {

            private boolean finished;

            @Override
            public void onHalfClose() {
                finished = true;
                unfinished.remove(open);
                if (watches) {
                    open.unlessEnded(super::onHalfClose);
                    watching.add(open);
                    endIfStopping(open);
                } else if (open.take()) {
                    super.onHalfClose();
                }
            }

            @Override
            public void onCancel() {
                forget();
                super.onCancel();
            }

            @Override
            public void onComplete() {
                forget();
                super.onComplete();
            }

            private void forget() {
                if (!finished) {
                    unfinished.remove(open);
                } else if (watches) {
                    watching.remove(open);
                }
            }
        };
    }

    /** Ends the calls that watch the health status, and from now on every new such call. */
    void stopWatching() {
        stopping = true;
        watching.forEach(this::endIfStopping);
    }

    @Override
    public void close() {
        sweeping.shutdown();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the task never throws, and ends when this object is closed
    private void keepSweeping(Duration every) {
        sweeping.scheduleWithFixedDelay(this::sweep, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends the calls that were already open at the previous sweep, because they have had enough time. */
    private void sweep() {
        for (Open open : unfinished) {
            if (open.seen) {
                open.end(Status.DEADLINE_EXCEEDED.withDescription("the message did not arrive in time"));
            }
            open.seen = true;
        }
    }

    private void endIfStopping(Open open) {
        if (stopping) {
            open.end(Status.UNAVAILABLE.withDescription("the node is stopping"));
        }
    }

    /** A call that must be ended exactly once. Nothing is sent after that. */
    private static final class Open {

        private final ServerCall<?, ?> call;
        private boolean taken;

        /** Used only by the sweeping thread. */
        private boolean seen;

        Open(ServerCall<?, ?> call) {
            this.call = call;
        }

        /** Returns true for the first caller, which has to end the call. */
        synchronized boolean take() {
            boolean first = !taken;
            taken = true;
            return first;
        }

        synchronized void unlessEnded(Runnable action) {
            if (!taken) {
                action.run();
            }
        }

        void end(Status status) {
            if (take()) {
                try {
                    call.close(status, new Metadata());
                } catch (IllegalStateException e) {
                    // The library has already ended it because of an invalid message.
                }
            }
        }
    }
}
