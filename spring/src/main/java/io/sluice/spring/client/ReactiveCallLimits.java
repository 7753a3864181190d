package io.sluice.spring.client;

import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

/**
 * Makes the filters that keep the {@link LimitedCalls} of a {@code WebClient} within their limits, as {@link CallLimits} does for
 * blocking clients. It is a separate type because applications without WebFlux cannot load it. Thread-safe, as are the filters.
 */
public final class ReactiveCallLimits {

    private final CallLimits limits;

    public ReactiveCallLimits(CallLimits limits) {
        this.limits = limits;
    }

    /**
     * Returns a filter that waits without blocking a thread. Concurrency permits are held until the body of the response ends, or
     * the call fails or is cancelled.
     */
    public ExchangeFilterFunction filter(LimitedCalls calls) {
        return new ReactiveCallLimit(limits.gate(calls));
    }

    /** Returns a filter that applies to each call the limits of its host. */
    public ExchangeFilterFunction filter(HostLimits hosts) {
        return new ReactiveCallLimit(limits.gate(hosts));
    }
}
