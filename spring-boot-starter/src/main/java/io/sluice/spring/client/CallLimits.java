package io.sluice.spring.client;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.spring.internal.NamedRules;
import java.util.List;
import java.util.function.Function;
import org.springframework.http.client.ClientHttpRequestInterceptor;

/**
 * Makes the interceptors that keep {@link LimitedCalls} under their limits; for {@code WebClient} {@link ReactiveCallLimits} does. Safe
 * for use by many threads, and so is what it makes.
 *
 * <p>A call is charged before it is sent, each time that it passes the interceptor: retries around it count each. A call that was
 * admitted and then failed counts: the third party may have counted it. Refused calls end with a {@link
 * io.sluice.spring.RateLimitExceededException}. An answer is there when the longest wait has passed and a decision of the shared
 * store was due, at the latest, whether Redis answers or not.
 */
public final class CallLimits {

    private final Evaluator evaluator;
    private final NamedRules rules;
    private final Clock clock;
    private final Pauses pauses;

    public CallLimits(Evaluator evaluator, Clock clock) {
        this.evaluator = evaluator;
        this.rules = new NamedRules(evaluator);
        this.clock = clock;
        this.pauses = new Pauses(clock);
    }

    /**
     * For {@code RestClient} and {@code RestTemplate}. Waits on the calling thread, which may be interrupted, and holds permits of concurrency
     * limits until the answer is read to its end or closed.
     */
    public ClientHttpRequestInterceptor interceptor(LimitedCalls calls) {
        return new BlockingCallLimit(gate(calls));
    }

    /** For limits that a call is to keep whatever it is. */
    CallGate gate(LimitedCalls calls) {
        return gate(call -> List.of(calls));
    }

    /** @param limits which limits a call keeps, all of them in one decision; none: it passes */
    CallGate gate(Function<OutboundCall, List<LimitedCalls>> limits) {
        return new CallGate(evaluator, rules, clock, pauses, limits);
    }
}
