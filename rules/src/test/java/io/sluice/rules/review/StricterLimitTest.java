package io.sluice.rules.review;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.rules.document.RuleDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StricterLimitTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limit: 5, window: 1m | limit: 9, window: 1m | true",
                "limit: 5, window: 1m | limit: 5, window: 1m | true",
                "limit: 9, window: 1m | limit: 5, window: 1m | false",
                "limit: 5, window: 1h | limit: 9, window: 1m | false",
                "limit: 5, window: 1m | limit: 9, window: 1m, slices: 20 | false",
                "limit: 5, window: 1m | limit: 9, window: 1m, weighted: true | true",
                "limit: 5, window: 1m, weighted: true | limit: 9, window: 1m | false",
                "limit: 0, window: 1m | rate: 9/s | true",
                "algorithm: sliding_log, limit: 5, window: 1h | algorithm: sliding_log, limit: 9, window: 1m | true",
                "algorithm: sliding_log, limit: 5, window: 1m | algorithm: sliding_log, limit: 9, window: 1h | false",
                "algorithm: sliding_log, limit: 5, window: 1m | limit: 9, window: 1m | false",
                "algorithm: fixed_window, limit: 5, window: 1h | algorithm: fixed_window, limit: 9, window: 1m | true",
                "algorithm: fixed_window, limit: 5, window: 3s | algorithm: fixed_window, limit: 9, window: 2s | false",
                "algorithm: fixed_window, limit: 5, align: day | algorithm: fixed_window, limit: 9, align: day | true",
                "algorithm: fixed_window, limit: 5, align: day | algorithm: fixed_window, limit: 9, window: 1h | false",
                "rate: 5/s, burst: 5 | rate: 6/s, burst: 6 | true",
                "rate: 60/m, burst: 5 | rate: 1/s, burst: 5 | true",
                "rate: 5/s, burst: 7 | rate: 6/s, burst: 6 | false",
                "rate: 7/s, burst: 5 | rate: 6/s, burst: 6 | false",
                "rate: 5/s, burst: 5, max_wait: 1s | rate: 6/s, burst: 6 | false",
                "algorithm: leaky_bucket, rate: 5/s, capacity: 5 | algorithm: leaky_bucket, rate: 5, capacity: 9 |"
                        + " true",
                "algorithm: leaky_bucket, rate: 4/s, capacity: 5 | algorithm: leaky_bucket, rate: 5, capacity: 9 |"
                        + " false",
                "algorithm: concurrency, limit: 5, ttl: 2s | algorithm: concurrency, limit: 9, ttl: 1s | true",
                "algorithm: concurrency, limit: 5, ttl: 1s | algorithm: concurrency, limit: 9, ttl: 2s | false",
            })
    void isAtLeastAsStrictOnlyIfThatIsCertain(String strict, String limit, boolean expected) {
        assertThat(StricterLimit.isAtLeast(limit(strict), limit(limit))).isEqualTo(expected);
    }

    private static Limit limit(String text) {
        RuleDocument document = RuleDocument.parse("test.yaml", "rules: [{ id: a, limits: [{ " + text + " }] }]");
        return ((RuleDocument.Accepted) document).rules().get(0).limits().get(0).limit();
    }
}
