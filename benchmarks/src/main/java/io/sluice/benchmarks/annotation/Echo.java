package io.sluice.benchmarks.annotation;

import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.sluice.spring.RateLimited;

/** The called method, which returns its argument. Public, so that proxies can override it. */
public class Echo {

    static final String PLENTY = "1000000000";

    public long call(long value) {
        return value;
    }

    /** Limited by the values in the annotation. */
    public static class Inline extends Echo {
        @Override
        @RateLimited(rate = PLENTY + "/s", burst = PLENTY)
        public long call(long value) {
            return value;
        }
    }

    /** Limited by a rule. */
    public static class Named extends Echo {
        @Override
        @RateLimited("plenty")
        public long call(long value) {
            return value;
        }
    }

    /** Limited by the values in the annotation, with a separate count for each of 1,000 keys. */
    public static class Keyed extends Echo {
        @Override
        @RateLimited(rate = PLENTY + "/s", burst = PLENTY, key = "#p0")
        public long call(long value) {
            return value;
        }
    }

    /** Always refused by Sluice. */
    public static class Exhausted extends Echo {
        @Override
        @RateLimited(limit = "0", window = "1d")
        public long call(long value) {
            return value;
        }
    }

    /** Limited by Resilience4j. */
    public static class Peer extends Echo {
        @Override
        @RateLimiter(name = "plenty")
        public long call(long value) {
            return value;
        }
    }

    /** Always refused by Resilience4j. */
    public static class PeerExhausted extends Echo {
        @Override
        @RateLimiter(name = "exhausted")
        public long call(long value) {
            return value;
        }
    }

    /** Always refused by Resilience4j, without a stack trace, because Sluice's refusals have none either. */
    public static class PeerExhaustedWithoutTrace extends Echo {
        @Override
        @RateLimiter(name = "exhausted-without-trace")
        public long call(long value) {
            return value;
        }
    }
}
