package io.sluice.envoy.decide;

import static io.sluice.envoy.decide.Desk.d;
import static io.sluice.envoy.decide.Desk.hits;
import static io.sluice.envoy.decide.Desk.shown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.sluice.rules.evaluate.Ruling;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Usage that is reported when it is known, {@code cost: {charge: always}}. */
class UsageTest {

    private static final String RULES = """
            rules:
              - id: tokens
                envoy: { domain: llm, path: [{ key: tenant }] }
                limits: [{ by: descriptor.tenant, algorithm: fixed_window, limit: 1000, window: 1m, cost: { charge: always } }]
              - id: calls
                envoy: { domain: llm, path: [{ key: calls }] }
                limits: [{ algorithm: fixed_window, limit: 2, window: 1m }]
              - id: both
                envoy: { domain: llm, path: [{ key: both }] }
                limits:
                  - { id: calls, algorithm: fixed_window, limit: 5, window: 1m }
                  - { id: tokens, algorithm: fixed_window, limit: 1000, window: 1m, cost: { charge: always } }
              - id: blocked
                match: { domain: llm, descriptor.blocked: x }
                action: deny
              - id: reserved
                envoy: { domain: llm, path: [{ key: reserved }] }
                limits: [{ limit: 1000, window: 1m, cost: { reserve: descriptor.max, settle: answer.json.n } }]
            """;

    @ParameterizedTest
    @EnumSource
    void isChargedIntoDebtAndLooksAreRefusedUntilItIsPaid(CountingMode counting) {
        Desk desk = counting == CountingMode.TOGETHER ? Desk.with(RULES) : Desk.countingLikeTheReference(RULES);
        assertThat(look(desk, "a")).isEqualTo("OK 1000/MINUTE 1000");
        assertThat(report(desk, 400, "a")).isEqualTo("OK 1000/MINUTE 600");
        assertThat(look(desk, "a")).isEqualTo("OK 1000/MINUTE 600");
        assertThat(report(desk, 5_000, "a")).isEqualTo("OK 1000/MINUTE 0");
        assertThat(look(desk, "a")).isEqualTo("OVER 1000/MINUTE 0");
        assertThat(report(desk, 1, "a")).isEqualTo("OK 1000/MINUTE 0");
        assertThat(look(desk, "b")).isEqualTo("OK 1000/MINUTE 1000");
        desk.clock.advance(Duration.ofMinutes(1));
        assertThat(look(desk, "a")).isEqualTo("OK 1000/MINUTE 1000");
        assertThat(desk.told).allSatisfy(ruling -> assertThat(ruling.degraded()).isNull());
    }

    @Test
    void twoDescriptorsWithTheSameCountAreBothCharged() {
        Desk desk = Desk.with(RULES);
        RateLimitResponse answer =
                desk.ask("llm", hits(300, d("tenant=a")), hits(200, d("tenant=a")), hits(7, d("tenant=b")));
        assertThat(answer.getOverallCode()).isEqualTo(Code.OK);
        assertThat(shown(answer)).isEqualTo("OK 1000/MINUTE 700, OK 1000/MINUTE 500, OK 1000/MINUTE 993");
        assertThat(look(desk, "a")).isEqualTo("OK 1000/MINUTE 500");
    }

    @Test
    void aRefusedRequestReportsNothing() {
        Desk desk = Desk.with(RULES);
        for (String refusing : new String[] {"calls=x", "blocked=x"}) {
            assertThat(desk.ask("llm", hits(3, d(refusing)), hits(300, d("tenant=a")))
                            .getOverallCode())
                    .isEqualTo(Code.OVER_LIMIT);
            assertThat(look(desk, "a")).isEqualTo("OK 1000/MINUTE 1000");
        }
        // A look at another count that is in debt refuses the report, too.
        report(desk, 2_000, "b");
        assertThat(desk.ask("llm", hits(0, d("tenant=b")), hits(300, d("tenant=a")))
                        .getOverallCode())
                .isEqualTo(Code.OVER_LIMIT);
        assertThat(look(desk, "a")).isEqualTo("OK 1000/MINUTE 1000");
    }

    @Test
    void aRuleMayLimitCallsAndCountUsage() {
        Desk desk = Desk.with(RULES);
        assertThat(shown(desk.ask("llm", hits(4, d("both=x"))))).isEqualTo("OK 5/MINUTE 1");
        assertThat(shown(desk.ask("llm", hits(4, d("both=x"))))).isEqualTo("OVER 5/MINUTE 1");
        assertThat(desk.told.get(0).costs())
                .extracting(Ruling.Reported::id, Ruling.Reported::remaining)
                .containsExactly(tuple("both.tokens", 996L));
        assertThat(desk.told.get(1).costs()).isEmpty();
    }

    @Test
    void theRulingIsAboutTheUsageIfNothingElseDecides() {
        Desk desk = Desk.with(RULES);
        report(desk, 400, "a");
        Ruling.Settled told = desk.told.get(0);
        assertThat(told.allowed()).isTrue();
        assertThat(told.rule()).isNotNull().satisfies(rule -> assertThat(rule.id())
                .isEqualTo("tokens"));
        assertThat(told.reported()).isNotNull().satisfies(limit -> assertThat(limit.remaining())
                .isEqualTo(600));
    }

    @Test
    void theAnswerKnowsWhenTheLimitIsUnusedAgain() {
        Desk desk = Desk.with("""
                rules:
                  - id: bucket
                    envoy: { domain: llm, path: [{ key: bucket }] }
                    limits: [{ rate: 1000/m, burst: 1000, cost: { charge: always } }]
                  - id: window
                    envoy: { domain: llm, path: [{ key: window }] }
                    limits: [{ algorithm: fixed_window, limit: 10, window: 1m, cost: { charge: always } }]
                  - id: log
                    envoy: { domain: llm, path: [{ key: log }] }
                    limits: [{ algorithm: sliding_log, limit: 10, window: 2m, cost: { charge: always } }]
                """);
        RateLimitResponse answer =
                desk.ask("llm", hits(5_000, d("bucket=x")), hits(20, d("window=x")), hits(20, d("log=x")));
        assertThat(answer.getStatusesList())
                .extracting(status -> status.getDurationUntilReset().getSeconds())
                .containsExactly(300L, 30L, 120L);
        // A look that comes later says the same.
        desk.clock.advance(Duration.ofSeconds(10));
        assertThat(desk.ask("llm", hits(0, d("bucket=x")), hits(0, d("window=x")), hits(0, d("log=x")))
                        .getStatusesList())
                .extracting(status -> status.getDurationUntilReset().getSeconds())
                .containsExactly(290L, 20L, 110L);
    }

    @Test
    void anEnormousAddendCountsAsTheMostThatARequestMayAskFor() {
        Desk desk = Desk.with(RULES);
        assertThat(report(desk, 1L << 40, "a")).isEqualTo("OK 1000/MINUTE 0");
        assertThat(report(desk, -1, "b")).isEqualTo("OK 1000/MINUTE 0");
        assertThat(look(desk, "b")).isEqualTo("OVER 1000/MINUTE 0");
    }

    @Test
    void aRefusedRequestIsCountedWithWhatItCosts() {
        Desk desk = Desk.countingLikeTheReference("""
                rules:
                  - id: fixed
                    envoy: { domain: llm, path: [{ key: fixed }] }
                    limits: [{ algorithm: fixed_window, limit: 10, window: 1m, cost: { reserve: 6 } }]
                """);
        assertThat(shown(desk.ask("llm", d("fixed=x")))).isEqualTo("OK 10/MINUTE 4");
        assertThat(shown(desk.ask("llm", d("fixed=x")))).isEqualTo("OVER 10/MINUTE 4");
        assertThat(shown(desk.ask("llm", d("fixed=x")))).isEqualTo("OVER 10/MINUTE 0");
    }

    @Test
    void aCostThatIsReservedIsChargedAndStands() {
        Desk desk = Desk.with(RULES);
        assertThat(shown(desk.ask("llm", d("reserved=x")))).isEqualTo("OK 1000/MINUTE 999");
        assertThat(shown(desk.ask("llm", hits(20, d("reserved=x"))))).isEqualTo("OK 1000/MINUTE 979");
        assertThat(desk.told)
                .allSatisfy(ruling -> assertThat(ruling.reservation()).isNull());
    }

    private static String look(Desk desk, String tenant) {
        return report(desk, 0, tenant);
    }

    private static String report(Desk desk, long tokens, String tenant) {
        return shown(desk.ask("llm", hits(tokens, d("tenant=" + tenant))));
    }
}
