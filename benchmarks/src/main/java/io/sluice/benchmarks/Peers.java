package io.sluice.benchmarks;

import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Limiters of other libraries, all with the same limit. */
final class Peers {

    static final long PLENTY = 1_000_000_000;
    static final int PLENTY_AS_INT = 1_000_000_000;

    private Peers() {}

    /** Returns a bucket that refills completely in a second. A bucket of one permit refills in a day. */
    static Bucket bucket4j(long permits) {
        Duration span = permits == 1 ? Duration.ofDays(1) : Duration.ofSeconds(1);
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(permits).refillGreedy(permits, span))
                .withNanosecondPrecision()
                .build();
    }

    static RateLimiter resilience4j(int permits) {
        return RateLimiter.of(
                "peer",
                RateLimiterConfig.custom()
                        .limitForPeriod(permits)
                        .limitRefreshPeriod(permits == 1 ? Duration.ofDays(1) : Duration.ofSeconds(1))
                        .timeoutDuration(Duration.ZERO)
                        .build());
    }

    /** Adds a rule that lets {@code permits} calls per second pass, and returns the name of its resource. */
    static String sentinel(String resource, double permits) {
        FlowRule rule = new FlowRule(resource);
        rule.setGrade(RuleConstant.FLOW_GRADE_QPS);
        rule.setCount(permits);
        List<FlowRule> rules = new ArrayList<>(FlowRuleManager.getRules());
        rules.add(rule);
        FlowRuleManager.loadRules(rules);
        return resource;
    }
}
