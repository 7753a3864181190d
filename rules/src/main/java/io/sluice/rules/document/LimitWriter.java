package io.sluice.rules.document;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;

/** Writes the parameters of a limit into a mapping. */
final class LimitWriter {

    private LimitWriter() {}

    /**
     * Writes every parameter that differs from its default.
     *
     * @param hasCost whether the limit has a cost
     */
    static void write(Limit limit, boolean hasCost, Map<String, Object> out) {
        if (!(limit instanceof TokenBucket) && !(limit instanceof SlidingWindow)) {
            out.put("algorithm", limit.algorithm());
        }
        if (limit instanceof TokenBucket bucket) {
            tokenBucket(bucket, hasCost, out);
        } else if (limit instanceof LeakyBucket bucket) {
            leakyBucket(bucket, out);
        } else if (limit instanceof FixedWindow fixed) {
            fixedWindow(fixed, out);
        } else if (limit instanceof SlidingWindow sliding) {
            slidingWindow(sliding, out);
        } else if (limit instanceof SlidingLog log) {
            out.put("limit", log.limit());
            out.put("window", Quantities.text(log.window()));
        } else if (limit instanceof Concurrency concurrency) {
            out.put("limit", concurrency.limit());
            out.put("ttl", Quantities.text(concurrency.ttl()));
        }
    }

    /**
     * Writes every number that an override may replace, even if it equals the number of the limit, so that the override is
     * complete by itself.
     */
    static void writeNumbers(Limit limit, Map<String, Object> out) {
        if (limit instanceof TokenBucket bucket) {
            out.put("rate", bucket.rate().toString());
            out.put("burst", bucket.burst());
            out.put("max_wait", wait(bucket));
        } else if (limit instanceof LeakyBucket bucket) {
            out.put("rate", bucket.rate().toString());
            out.put("capacity", bucket.waiting());
            out.put("max_wait", wait(bucket));
        } else {
            out.put("limit", limit.capacity());
            if (limit instanceof Concurrency concurrency) {
                out.put("ttl", Quantities.text(concurrency.ttl()));
            }
        }
    }

    private static void tokenBucket(TokenBucket bucket, boolean hasCost, Map<String, Object> out) {
        TokenBucket usual = Parameters.usual(Limit.named(bucket.name()), bucket.rate(), hasCost);
        out.put("rate", bucket.rate().toString());
        if (bucket.burst() != usual.burst()) {
            out.put("burst", bucket.burst());
        }
        if (bucket.maxWaitMicros() != 0) {
            out.put("max_wait", wait(bucket));
        }
    }

    private static void leakyBucket(LeakyBucket bucket, Map<String, Object> out) {
        LeakyBucket usual = Limit.named(bucket.name()).leakyBucket(bucket.rate());
        out.put("rate", bucket.rate().toString());
        if (bucket.waiting() != usual.waiting()) {
            out.put("capacity", bucket.waiting());
        }
        if (bucket.maxWaitMicros() != usual.withCapacity(bucket.waiting()).maxWaitMicros()) {
            out.put("max_wait", wait(bucket));
        }
    }

    private static void fixedWindow(FixedWindow fixed, Map<String, Object> out) {
        out.put("limit", fixed.capacity());
        Calendar calendar = fixed.calendar();
        ZoneId zone = fixed.zone();
        if (calendar == null || zone == null) {
            out.put("window", Quantities.text(Quantities.ofMicros(fixed.windowMicros())));
            return;
        }
        out.put("align", calendar.word());
        if (!zone.equals(Parameters.DEFAULT_ZONE)) {
            out.put("zone", zone.getId());
        }
    }

    private static void slidingWindow(SlidingWindow sliding, Map<String, Object> out) {
        Duration window = sliding.window();
        SlidingWindow usual = Limit.named(sliding.name()).slidingWindow(sliding.limit(), window);
        out.put("limit", sliding.limit());
        out.put("window", Quantities.text(window));
        if (sliding.slices() != usual.slices()) {
            out.put("slices", sliding.slices());
        }
        if (sliding.weighted()) {
            out.put("weighted", true);
        }
    }

    private static String wait(Limit limit) {
        return Quantities.text(Quantities.ofMicros(limit.maxWaitMicros()));
    }
}
