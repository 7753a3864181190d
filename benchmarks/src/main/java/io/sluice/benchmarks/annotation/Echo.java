package io.sluice.benchmarks.annotation;

import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.sluice.spring.RateLimited;

/** The method that is called: it returns what it gets. Public, for proxies to override. */
public class Echo {

    static final String PLENTY = "1000000000";

    public long call(long value) {
        return value;
    }

    /** With a limit that is written on it. */
    public static class Inline extends Echo {
        @Override
        @RateLimited(rate = PLENTY + "/s", burst = PLENTY)
        public long call(long value) {
            return value;
        }
    }

    /** With a rule in force. */
    public static class Named extends Echo {
        @Override
        @RateLimited("plenty")
        public long call(long value) {
            return value;
        }
    }

    /** With a count for each of 1,000 keys. */
    public static class Keyed extends Echo {
        @Override
        @RateLimited(rate = PLENTY + "/s", burst = PLENTY, key = "#p0")
        public long call(long value) {
            return value;
        }
    }

    /** Always refused. */
    public static class Exhausted extends Echo {
        @Override
        @RateLimited(limit = "0", window = "1d")
        public long call(long value) {
            return value;
        }
    }

    /** As Resilience4j has it. */
    public static class Peer extends Echo {
        @Override
        @RateLimiter(name = "plenty")
        public long call(long value) {
            return value;
        }
    }

    /** Always refused. */
    public static class PeerExhausted extends Echo {
        @Override
        @RateLimiter(name = "exhausted")
        public long call(long value) {
            return value;
        }
    }

    /** Always refused, without a stack trace: Sluice's refusals have none. */
    public static class PeerExhaustedWithoutTrace extends Echo {
        @Override
        @RateLimiter(name = "exhausted-without-trace")
        public long call(long value) {
            return value;
        }
    }
}
