package io.sluice.core.limit;

import io.sluice.core.internal.Expect;
import java.time.Duration;
import java.util.Objects;

/**
 * At most {@code limit} permits in flight at one time; each is held until it is given back, or taken back {@code ttl} after it
 * was handed out or last renewed, should its holder have died. Immutable.
 */
public record Concurrency(String name, long limit, Duration ttl) implements Limit {

    /** The most permits that can be in flight: each holder is remembered. */
    public static final long MAX_LIMIT = 100_000;

    public Concurrency {
        name = new Named(name).name();
        Expect.range("limit", limit, 0, MAX_LIMIT);
        Expect.micros("ttl", Objects.requireNonNull(ttl, "ttl"));
    }

    @Override
    public String algorithm() {
        return "concurrency";
    }

    @Override
    public String shape() {
        return "cc";
    }

    @Override
    public long capacity() {
        return limit;
    }

    /** The time after which a permit is taken back. */
    @Override
    public long windowMicros() {
        return Expect.micros("ttl", ttl);
    }

    @Override
    public Concurrency scaled(double share) {
        Expect.share(share);
        return new Concurrency(name, LimitShare.of(limit, share), ttl);
    }

    @Override
    public String toString() {
        return name + " (concurrency " + limit + ")";
    }
}
