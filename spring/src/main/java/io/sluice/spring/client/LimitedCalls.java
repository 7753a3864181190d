package io.sluice.spring.client;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Describes the limits of calls to a third party: the limit, the key to count by, and the maximum wait of a call. Immutable. Use {@link
 * CallLimits} or {@link ReactiveCallLimits} to make interceptors and filters from it.
 *
 * <pre>{@code
 * LimitedCalls github = LimitedCalls.of("github-api").waitingUpTo(Duration.ofSeconds(2));
 * RestClient client = RestClient.builder().requestInterceptor(callLimits.interceptor(github)).build();
 *
 * LimitedCalls maps = LimitedCalls.of("maps", Limit.named("maps").slidingWindow(50, Duration.ofSeconds(1)));
 * WebClient reactive = WebClient.builder().filter(reactiveCallLimits.filter(maps)).build();
 * }</pre>
 */
public final class LimitedCalls {

    /** The longest time that a call may wait. */
    public static final Duration LONGEST_WAIT = Duration.ofDays(1);

    private static final Function<OutboundCall, @Nullable String> HOST = OutboundCall::host;

    private final String name;
    private final @Nullable Rule rule;
    private final Function<OutboundCall, @Nullable String> key;
    private final Duration maxWait;
    private final Heed heed;

    /** The calls that pause when the third party sends {@code Retry-After}. */
    private enum Heed {
        NOT,
        BY_KEY,
        TOGETHER
    }

    private LimitedCalls(
            String name,
            @Nullable Rule rule,
            Function<OutboundCall, @Nullable String> key,
            Duration maxWait,
            Heed heed) {
        this.name = name;
        this.rule = rule;
        this.key = key;
        this.maxWait = maxWait;
        this.heed = heed;
    }

    /**
     * Limits calls by a rule in force, regardless of its scope. The rule can count by {@code key}, {@code host}, {@code method}, {@code
     * path} or {@code header.<name>} of the call, or have one count for all calls. While no such rule is in force, calls fail unless {@link
     * io.sluice.spring.named.MissingRule} says otherwise.
     *
     * @param rule the id of the rule
     */
    public static LimitedCalls of(String rule) {
        Objects.requireNonNull(rule, "rule");
        return new LimitedCalls(rule, null, HOST, Duration.ZERO, Heed.NOT);
    }

    /**
     * Limits calls by the given limits, with a separate count for each key. While the shared store is unavailable, each process
     * enforces half of each limit.
     */
    public static LimitedCalls of(String name, Limit... limits) {
        return of(CallRule.of(name, CallRule.LOCAL, true, limits));
    }

    /** Limits calls by a rule made in code. */
    public static LimitedCalls of(Rule rule) {
        return new LimitedCalls(rule.id(), rule, HOST, Duration.ZERO, Heed.NOT);
    }

    /** Returns a copy that waits at most this long. Zero, the default, refuses immediately. */
    public LimitedCalls waitingUpTo(Duration maxWait) {
        if (maxWait.isNegative() || maxWait.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("maxWait: " + maxWait + " (expected: 0 to 1 day)");
        }
        return new LimitedCalls(name, rule, key, maxWait, heed);
    }

    /** Returns a copy with another value for the attribute {@code key} than the host. */
    public LimitedCalls keyedBy(Function<OutboundCall, @Nullable String> key) {
        return new LimitedCalls(name, rule, key, maxWait, heed);
    }

    /**
     * Returns a copy that obeys {@code Retry-After}. When a response with status 429 or 503 carries the header, all calls of this limit
     * with the same key in this process pause for that time, at most an hour, in all clients. By default, heeding the header is left to the
     * caller.
     */
    public LimitedCalls heedingRetryAfter() {
        return new LimitedCalls(name, rule, key, maxWait, Heed.BY_KEY);
    }

    /** Returns a copy that obeys {@code Retry-After} for all calls of the limit, with any key. */
    public LimitedCalls heedingRetryAfterTogether() {
        return new LimitedCalls(name, rule, key, maxWait, Heed.TOGETHER);
    }

    String name() {
        return name;
    }

    @Nullable
    Rule rule() {
        return rule;
    }

    @Nullable
    String key(OutboundCall call) {
        return key.apply(call);
    }

    Duration maxWait() {
        return maxWait;
    }

    /** Returns the key of the calls that pause together, or null if all calls of the limit pause together. */
    @Nullable
    String pauseKey(OutboundCall call) {
        return heed == Heed.TOGETHER ? null : key.apply(call);
    }

    boolean heedsRetryAfter() {
        return heed != Heed.NOT;
    }
}
