package io.sluice.center.signin;

import io.sluice.center.people.Names;
import io.sluice.center.people.Secrets;
import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.Clock;
import io.sluice.redis.RedisStore;
import io.sluice.rules.pattern.Address;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Limits the attempts to sign in. Sluice itself decides. Centers with the same Redis share their counts. While Redis does not answer, each
 * center counts alone, with the counts that it has seen. Thread-safe.
 *
 * <p>The limit for an address and a name together is strict, because it stops guessing. The limit for a name alone is generous and refills
 * quickly, because any client can use it up from many addresses. A refused attempt is not counted, so further attempts do not prolong the
 * refusal. A successful attempt is not counted either.
 */
public final class SignInThrottle implements AutoCloseable {

    private static final Limit BY_BOTH =
            Limit.named("sluice-sign-in.both").tokenBucket(Rate.perMinute(1)).withBurst(5);
    private static final Limit BY_ADDRESS = Limit.named("sluice-sign-in.address")
            .tokenBucket(Rate.perMinute(30))
            .withBurst(60);
    private static final Limit BY_NAME =
            Limit.named("sluice-sign-in.name").tokenBucket(Rate.perMinute(20)).withBurst(100);

    /** The limit of started sign-ins, because each of them stores a row for some minutes. */
    private static final Limit BEGINNINGS =
            Limit.named("sluice-sign-in.begin").tokenBucket(Rate.perMinute(60)).withBurst(60);

    /** The timeout of requests to Redis. */
    private static final Duration PATIENCE = Duration.ofMillis(250);

    /** The prefix length of an IPv6 network that usually belongs to one household or machine. */
    private static final int IPV6_PREFIX = 64;

    private final Limiter limiter;
    private final AutoCloseable store;

    private SignInThrottle(Limiter limiter, AutoCloseable store) {
        this.limiter = limiter;
        this.store = store;
    }

    /**
     * Opens a throttle. Returns immediately, even if Redis is unavailable.
     *
     * @param redis the address of the Redis that shares the counts; empty to count in this process
     */
    public static SignInThrottle open(Optional<String> redis, Clock clock) {
        if (redis.isEmpty()) {
            Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
            return new SignInThrottle(limiter, limiter);
        }
        RedisStore store =
                RedisStore.at(redis.get()).clock(clock).slow(PATIENCE).open();
        return new SignInThrottle(store.limiter(), store);
    }

    /** An attempt that was admitted. */
    public final class Attempt {

        private final Decision decision;

        private Attempt(Decision decision) {
            this.decision = decision;
        }

        /** Removes the attempt from the counts, because the caller has proved their identity. */
        public void succeeded() {
            var unused = limiter.giveBack(decision);
        }
    }

    /**
     * Admits an attempt to sign in, before the attempt causes any work.
     *
     * @param name the name of the account; empty if it is not known yet
     * @throws TooManyAttemptsException if there were too many attempts
     */
    public Attempt admit(HttpServletRequest request, String name) {
        return admit(request.getRemoteAddr(), name);
    }

    /**
     * Admits the start of a sign-in that waits for an answer, such as the answer of a passkey.
     *
     * @throws TooManyAttemptsException if too many sign-ins were started
     */
    public void admitBeginning(HttpServletRequest request) {
        decide(List.of(Demand.of(BEGINNINGS, Secrets.hash(from(request.getRemoteAddr())), 1)));
    }

    private static String from(String address) {
        return Address.parse(address).map(parsed -> parsed.counted(IPV6_PREFIX)).orElse(Address.UNKNOWN);
    }

    Attempt admit(String address, String name) {
        String from = from(address);
        String who = Names.key(name);
        List<Demand> demands = new ArrayList<>();
        demands.add(Demand.of(BY_ADDRESS, Secrets.hash(from), 1));
        if (!who.isEmpty()) {
            demands.add(Demand.of(BY_BOTH, Secrets.hash(from + " " + who), 1));
            demands.add(Demand.of(BY_NAME, Secrets.hash(who), 1));
        }
        return new Attempt(decide(demands));
    }

    private Decision decide(List<Demand> demands) {
        Decision decision = limiter.decide(
                Ask.charging(demands).dueAt(limiter.dueIn(PATIENCE)).onFailure(FailurePolicy.LOCAL, 1));
        if (!decision.allowed()) {
            throw new TooManyAttemptsException(decision.retryAfter().orElse(Duration.ofMinutes(1)));
        }
        return decision;
    }

    @Override
    public void close() throws Exception {
        store.close();
    }
}
