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
 * Ends calls that would stay open for as long as their client likes: those whose message is not there in time, and when the server
 * stops, those that only watch its health. Safe for use by many threads.
 */
final class OpenCalls implements ServerInterceptor, AutoCloseable {

    private static final String WATCH = HealthGrpc.getWatchMethod().getFullMethodName();

    private final Set<Open> unfinished = ConcurrentHashMap.newKeySet();
    private final Set<Open> watching = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService sweeping;
    private volatile boolean stopping;

    /** @param messageWithin how long a client has for its message at least; twice as long at most */
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

            @Override
            public void onHalfClose() {
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
                forget(open);
                super.onCancel();
            }

            @Override
            public void onComplete() {
                forget(open);
                super.onComplete();
            }
        };
    }

    /** Ends those that watch, and from now on every new one. */
    void stopWatching() {
        stopping = true;
        watching.forEach(this::endIfStopping);
    }

    @Override
    public void close() {
        sweeping.shutdown();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it never throws, and ends when this is closed
    private void keepSweeping(Duration every) {
        sweeping.scheduleWithFixedDelay(this::sweep, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Whoever was there at the last one has had the time. */
    private void sweep() {
        for (Open open : unfinished) {
            if (open.seen) {
                open.end(Status.DEADLINE_EXCEEDED.withDescription("the message did not come in time"));
            }
            open.seen = true;
        }
    }

    private void endIfStopping(Open open) {
        if (stopping) {
            open.end(Status.UNAVAILABLE.withDescription("the node is stopping"));
        }
    }

    private void forget(Open open) {
        unfinished.remove(open);
        watching.remove(open);
    }

    /** A call must be ended once, and nothing be sent after that. */
    private static final class Open {

        private final ServerCall<?, ?> call;
        private boolean taken;

        /** Touched only by the sweeping thread. */
        private boolean seen;

        Open(ServerCall<?, ?> call) {
            this.call = call;
        }

        /** Whether whoever asks is the one to end it. */
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
                    // The library has ended it, for a message that is none.
                }
            }
        }
    }
}
