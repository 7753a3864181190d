package io.sluice.envoy.server;

import io.grpc.BindableService;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.sluice.core.time.Clock;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Answers {@code INVALID_ARGUMENT} to messages that cannot be read. They are counted, and logged once a minute at most.
 * Thread-safe.
 *
 * <p>If gRPC itself parsed a message, an error would be {@code UNKNOWN} to the client and a stack trace in the log. So gRPC passes on the
 * bytes, and this interceptor parses the message.
 */
final class MalformedMessages implements ServerInterceptor {

    private static final long LOGGED_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

    private final Clock clock;
    private final System.Logger log;
    private final AtomicLong count = new AtomicLong();

    /** The time from which the next message may be logged; meaningless before the first message. */
    private final AtomicLong nextNanos = new AtomicLong();

    MalformedMessages(Clock clock, System.Logger log) {
        this.clock = clock;
        this.log = log;
    }

    /** Returns the service, whose messages this object parses. */
    ServerServiceDefinition guard(BindableService service) {
        return ServerInterceptors.intercept(
                ServerInterceptors.useMarshalledMessages(service.bindService(), new Bytes()), this);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {

            private boolean refused;

            @Override
            public void onMessage(Q message) {
                try {
                    super.onMessage(message);
                } catch (RuntimeException e) {
                    refused = true;
                    refuse(call, e);
                }
            }

            @Override
            public void onHalfClose() {
                if (!refused) {
                    super.onHalfClose();
                }
            }
        };
    }

    private void refuse(ServerCall<?, ?> call, RuntimeException failure) {
        long malformed = count.incrementAndGet();
        long now = clock.nanoTime();
        long next = nextNanos.get();
        if ((malformed == 1 || now - next >= 0) && nextNanos.compareAndSet(next, now + LOGGED_EVERY_NANOS)) {
            log.log(
                    Level.WARNING,
                    "gRPC messages that cannot be read are refused as INVALID_ARGUMENT (" + malformed
                            + " so far; logged once a minute at most)");
        }
        try {
            call.close(status(failure), new Metadata());
        } catch (IllegalStateException e) {
            // The call has ended in the meantime, because its message came too late.
        }
    }

    /**
     * Returns the status for a failure. A message that becomes too large by decompression also fails here and keeps the status of all large
     * messages.
     */
    private static Status status(RuntimeException failure) {
        Status status = Status.fromThrowable(failure);
        return status.getCode() == Status.Code.RESOURCE_EXHAUSTED
                ? status
                : Status.INVALID_ARGUMENT.withDescription("the message cannot be read (expected: protocol buffers)");
    }

    /** Passes on the bytes of messages in both directions, without copying. */
    private static final class Bytes implements MethodDescriptor.Marshaller<InputStream> {

        @Override
        public InputStream stream(InputStream message) {
            return message;
        }

        @Override
        public InputStream parse(InputStream message) {
            return message;
        }
    }
}
