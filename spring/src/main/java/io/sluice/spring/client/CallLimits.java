package io.sluice.spring.client;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.spring.named.NamedRules;
import io.sluice.spring.named.RuleReference;
import io.sluice.spring.named.RuleUser;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.springframework.http.client.ClientHttpRequestInterceptor;

/**
 * Makes the interceptors that keep {@link LimitedCalls} within their limits. For {@code WebClient} use
 * {@link ReactiveCallLimits}. Thread-safe, as are the interceptors.
 *
 * <p>A call is charged before it is sent, each time it passes the interceptor, so every retry around the interceptor counts. A call that
 * was admitted and then failed stays counted, because the third party may also have counted it. A refused call throws {@link
 * io.sluice.spring.RateLimitExceededException}. The decision is known at the latest when the maximum wait and the deadline of the shared
 * store have passed, even if Redis does not answer.
 */
public final class CallLimits implements RuleUser {

    private final Evaluator evaluator;
    private final NamedRules rules;
    private final Clock clock;
    private final Pauses pauses;

    /** The rules of all interceptors and filters that were made. */
    private final Set<RuleReference> named = ConcurrentHashMap.newKeySet();

    public CallLimits(Evaluator evaluator, Clock clock, NamedRules rules) {
        this.evaluator = evaluator;
        this.rules = rules;
        this.clock = clock;
        this.pauses = new Pauses(clock);
    }

    /**
     * Returns an interceptor for {@code RestClient} and {@code RestTemplate}. It blocks the calling thread, which may be
     * interrupted, while a call waits. Concurrency permits are held until the response is read to its end or closed.
     */
    public ClientHttpRequestInterceptor interceptor(LimitedCalls calls) {
        return new BlockingCallLimit(gate(calls));
    }

    /** Returns an interceptor that applies to each call the limits of its host. */
    public ClientHttpRequestInterceptor interceptor(HostLimits limits) {
        return new BlockingCallLimit(gate(limits));
    }

    /** Returns a gate that applies the same limits to every call. */
    CallGate gate(LimitedCalls calls) {
        if (calls.rule() == null) {
            named.add(new RuleReference(calls.name(), "LimitedCalls.of(\"" + calls.name() + "\")"));
        }
        return gate(call -> List.of(calls));
    }

    /** Returns a gate that applies to each call the limits of its host. */
    CallGate gate(HostLimits limits) {
        named.addAll(limits.named());
        return gate(limits::of);
    }

    @Override
    public List<RuleReference> named() {
        return List.copyOf(named);
    }

    /** @param limits returns the limits of a call, which are one decision; a call without limits passes */
    private CallGate gate(Function<OutboundCall, List<LimitedCalls>> limits) {
        return new CallGate(evaluator, rules, clock, pauses, limits);
    }
}
