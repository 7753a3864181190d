package io.sluice.spring.client;

import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

/**
 * Makes the filters that keep {@link LimitedCalls} of {@code WebClient} under their limits, as {@link CallLimits} does for clients that block.
 * A type of its own: applications without WebFlux have none of it. Safe for use by many threads, and so is what it makes.
 */
public final class ReactiveCallLimits {

    private final CallLimits limits;

    public ReactiveCallLimits(CallLimits limits) {
        this.limits = limits;
    }

    /**
     * Waits without a thread, and holds permits of concurrency limits until the body of the answer has ended, the call failed, or it was
     * cancelled.
     */
    public ExchangeFilterFunction filter(LimitedCalls calls) {
        return new ReactiveCallLimit(limits.gate(calls));
    }
}
