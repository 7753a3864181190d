package io.sluice.spring.client;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which limit calls to a third party keep, whose count it is, and for how long a call may wait for it. Immutable; a {@link CallLimits}
 * makes interceptors of it.
 *
 * <pre>{@code
 * LimitedCalls github = LimitedCalls.of("github-api").waitingUpTo(Duration.ofSeconds(2));
 * RestClient client = RestClient.builder().requestInterceptor(limits.interceptor(github)).build();
 *
 * LimitedCalls maps = LimitedCalls.of("maps", Limit.named("maps").slidingWindow(50, Duration.ofSeconds(1)));
 * WebClient reactive = WebClient.builder().filter(limits.filter(maps)).build();
 * }</pre>
 */
public final class LimitedCalls {

    /** The longest that a call may wait. */
    public static final Duration LONGEST_WAIT = Duration.ofDays(1);

    private static final Function<OutboundCall, @Nullable String> HOST = OutboundCall::host;

    private final String name;
    private final @Nullable Rule rule;
    private final Function<OutboundCall, @Nullable String> key;
    private final Duration maxWait;
    private final Heed heed;

    /** Who pauses when a third party asks for it. */
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
     * Calls that keep a rule in force, whatever its scope. The rule counts by {@code key}, {@code host}, {@code method}, {@code path} or
     * {@code header.<name>} of the call, or has one count for all. While there is no such rule, calls are not limited, and
     * the log says so.
     *
     * @param rule its id
     */
    public static LimitedCalls of(String rule) {
        Objects.requireNonNull(rule, "rule");
        return new LimitedCalls(rule, null, HOST, Duration.ZERO, Heed.NOT);
    }

    /** Calls that keep limits made here, each key by itself. While the shared store fails, half of them in each process. */
    public static LimitedCalls of(String name, Limit... limits) {
        return of(CallRule.of(name, CallRule.LOCAL, true, limits));
    }

    /** Calls that keep a rule made in code. */
    public static LimitedCalls of(Rule rule) {
        return new LimitedCalls(rule.id(), rule, HOST, Duration.ZERO, Heed.NOT);
    }

    /** The same, waiting for so long at most; zero, the default, refuses at once. */
    public LimitedCalls waitingUpTo(Duration maxWait) {
        if (maxWait.isNegative() || maxWait.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("maxWait: " + maxWait + " (expected: 0 to 1 day)");
        }
        return new LimitedCalls(name, rule, key, maxWait, heed);
    }

    /** The same, with another attribute {@code key} for rules than the host. */
    public LimitedCalls keyedBy(Function<OutboundCall, @Nullable String> key) {
        return new LimitedCalls(name, rule, key, maxWait, heed);
    }

    /**
     * The same, pausing all calls of this limit in this process with the same key, whichever client makes them, when an answer of status 429 or 503 says {@code Retry-After}, until
     * then, an hour at most. By default it is left to the caller.
     */
    public LimitedCalls heedingRetryAfter() {
        return new LimitedCalls(name, rule, key, maxWait, Heed.BY_KEY);
    }

    /** The same, pausing all calls of the limit whatever their key. */
    LimitedCalls heedingRetryAfterTogether() {
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

    /** Which calls pause together. */
    @Nullable
    String pauseKey(OutboundCall call) {
        return heed == Heed.TOGETHER ? null : key.apply(call);
    }

    boolean heedsRetryAfter() {
        return heed != Heed.NOT;
    }
}
