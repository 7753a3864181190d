package io.sluice.envoy.server;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.rules.pattern.Origin;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Answers {@code ShouldRateLimit} calls, each on the thread that completes the decision. */
final class RateLimitCalls extends RateLimitServiceGrpc.RateLimitServiceImplBase {

    /**
     * The maximum number of calls that wait for their decision. A decision takes no longer than its deadline, so more calls
     * than this are a flood and not a burst. Further calls are decided immediately, without the store.
     */
    static final int MOST_IN_FLIGHT = 20_000;

    private static final System.Logger LOG = System.getLogger(RateLimitCalls.class.getName());

    private final RateLimitDecider decider;
    private final BooleanSupplier open;
    private final int mostInFlight;
    private final AtomicInteger inFlight = new AtomicInteger();

    RateLimitCalls(RateLimitDecider decider, BooleanSupplier open) {
        this(decider, open, MOST_IN_FLIGHT);
    }

    RateLimitCalls(RateLimitDecider decider, BooleanSupplier open, int mostInFlight) {
        this.decider = decider;
        this.open = open;
        this.mostInFlight = mostInFlight;
    }

    @Override
    public void shouldRateLimit(RateLimitRequest request, StreamObserver<RateLimitResponse> caller) {
        if (caller instanceof ServerCallStreamObserver<RateLimitResponse> call) {
            // Without a handler, answering a caller that has disconnected would throw.
            call.setOnCancelHandler(() -> {});
        }
        if (!open.getAsBoolean()) {
            refuse(caller, Status.UNAVAILABLE.withDescription("the node is starting or stopping"));
            return;
        }
        Origin origin = CallOrigin.current();
        boolean room = inFlight.incrementAndGet() <= mostInFlight;
        try {
            (room ? decider.decide(request, origin) : decider.shed(request, origin))
                    .whenComplete((response, failure) -> {
                        inFlight.decrementAndGet();
                        answer(caller, origin, response, failure);
                    });
        } catch (IllegalArgumentException e) {
            inFlight.decrementAndGet();
            refuse(caller, Status.INVALID_ARGUMENT.withDescription(e.getMessage()));
        } catch (RuntimeException e) {
            inFlight.decrementAndGet();
            failed(caller, origin, e);
        }
    }

    private static void answer(
            StreamObserver<RateLimitResponse> caller,
            Origin origin,
            @Nullable RateLimitResponse response,
            @Nullable Throwable failure) {
        if (response == null) {
            failed(caller, origin, failure);
        } else {
            caller.onNext(response);
            caller.onCompleted();
        }
    }

    private static void failed(StreamObserver<RateLimitResponse> caller, Origin origin, @Nullable Throwable failure) {
        LOG.log(Level.ERROR, "a ShouldRateLimit call failed" + CallOrigin.named(origin), failure);
        refuse(caller, Status.INTERNAL.withDescription("the node failed to answer; see its log"));
    }

    private static void refuse(StreamObserver<RateLimitResponse> caller, Status status) {
        caller.onError(status.asRuntimeException());
    }
}
