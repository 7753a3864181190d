package io.sluice.http.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswerHeadersTest {

    private final ManualClock clock = QuietClock.at(0);

    @Test
    void roundsUpToWholeSeconds() {
        Evaluator evaluator =
                evaluator("rules: [{ id: login, limits: [{ by: ip, algorithm: sliding_log, limit: 1, window: 1m }] }]");
        settled(evaluator, Map.of("ip", "192.0.2.1"), 1);
        clock.advance(Duration.ofMillis(18_770));

        assertThat(AnswerHeaders.of(settled(evaluator, Map.of("ip", "192.0.2.1"), 1)))
                .isEqualTo(Map.of(
                        "RateLimit-Policy", "\"login.0\";q=1;w=60",
                        "RateLimit", "\"login.0\";r=0;t=42",
                        "Retry-After", "42"));
        assertThat(AnswerHeaders.of(settled(evaluator, Map.of("ip", "192.0.2.2"), 1)))
                .isEqualTo(Map.of("RateLimit-Policy", "\"login.0\";q=1;w=60", "RateLimit", "\"login.0\";r=0;t=60"));
    }

    @Test
    void namesNoTimeWhereWaitingNeverHelps() {
        Evaluator evaluator = evaluator("rules: [{ id: a, limits: [{ rate: 0 }] }]");

        assertThat(AnswerHeaders.of(settled(evaluator, Map.of(), 1)))
                .isEqualTo(Map.of("RateLimit-Policy", "\"a.0\";q=0", "RateLimit", "\"a.0\";r=0"));
    }

    @Test
    void sendsNoRetryAfterForALook() {
        Evaluator evaluator =
                evaluator("rules: [{ id: a, limits: [{ algorithm: sliding_log, limit: 1, window: 1m }] }]");
        settled(evaluator, Map.of(), 1);

        Settled look = settled(evaluator, Map.of(), 0);

        assertThat(look.allowed()).isFalse();
        assertThat(AnswerHeaders.of(look)).doesNotContainKey("Retry-After");
    }

    private static Settled settled(Evaluator evaluator, Map<String, String> request, long permits) {
        return (Settled) evaluator
                .evaluate(Attributes.of(request), permits)
                .toCompletableFuture()
                .join();
    }

    private Evaluator evaluator(String document) {
        RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", document)).rules());
        Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
        return new Evaluator(() -> set, limiter, null, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {});
    }

    @Test
    void membersAreJoinedAndReplacedByName() {
        assertThat(AnswerHeaders.join(null, "\"a\";r=1")).isEqualTo("\"a\";r=1");
        assertThat(AnswerHeaders.join(" ", "\"a\";r=1")).isEqualTo("\"a\";r=1");
        assertThat(AnswerHeaders.join("\"a\";r=1;t=9", "\"b\";r=2")).isEqualTo("\"a\";r=1;t=9, \"b\";r=2");
        assertThat(AnswerHeaders.join("\"a\";r=1;t=9, \"b\";r=2", "\"a\";r=0")).isEqualTo("\"b\";r=2, \"a\";r=0");
        assertThat(AnswerHeaders.join("\"ab\";r=1", "\"a\";r=0")).isEqualTo("\"ab\";r=1, \"a\";r=0");
        assertThat(AnswerHeaders.join("\"a\";r=3, \"b\";r=9, \"c\";r=1", "\"a\";r=2, \"b\";r=8"))
                .as("limits with a cost are members of their own")
                .isEqualTo("\"c\";r=1, \"a\";r=2, \"b\";r=8");
    }

    @Test
    void commasAndQuotesInsideOfNamesDoNotSplitMembers() {
        String odd = "\"a, \\\"b\\\";c\";r=1;note=\"x, y\"";
        assertThat(AnswerHeaders.join(odd, "\"b\";r=2")).isEqualTo(odd + ", \"b\";r=2");
        assertThat(AnswerHeaders.join(odd + ", \"z\";r=3", odd)).isEqualTo("\"z\";r=3, " + odd);
    }

    @Test
    void valuesOfOthersAreJoinedWhateverTheyContain() {
        for (String other : new String[] {",", ",,;", "\"open", "\\", "10, 100;w=60", ";;\"", "\"a\\"}) {
            assertThat(AnswerHeaders.join(other, "\"b\";r=2")).endsWith("\"b\";r=2");
        }
        String large = "\"" + "a".repeat(3_000) + "\";r=1";
        assertThat(AnswerHeaders.join(large, "\"b\";r=2")).isEqualTo(large);
    }
}
