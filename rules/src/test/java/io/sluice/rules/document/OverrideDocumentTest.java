package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.rules.cost.Keep;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.model.LimitOverride;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverrideDocumentTest {

    @Test
    void replacesTheNamedNumbersAndKeepsTheRest() {
        List<LimitOverride> overrides = overrides("""
                limits:
                  - { id: per-user, by: [tenant, user], rate: 50/s, burst: 100 }
                  - { id: day, algorithm: fixed_window, limit: 1000, align: day }
                overrides:
                  - { when: { plan: vip }, of: per-user, rate: 200/s, burst: 400 }
                  - { when: { user: [u-17, u-18], plan: 'gold-*' }, of: per-user, rate: 500/s, until: 2027-01-01T00:00:00Z }
                  - { when: { plan: vip }, of: day, limit: 0 }
                """);

        Limit.Named user = Limit.named("a.per-user");
        assertThat(overrides)
                .extracting(LimitOverride::numbers)
                .containsExactly(
                        user.tokenBucket(Rate.perSecond(200)).withBurst(400),
                        user.tokenBucket(Rate.perSecond(500)).withBurst(100),
                        Limit.named("a.day")
                                .fixedWindow(0, io.sluice.core.limit.Calendar.DAY, java.time.ZoneId.of("UTC")));
        assertThat(overrides).extracting(LimitOverride::limit).containsExactly(0, 0, 1);
        assertThat(overrides.get(1).when()).containsOnlyKeys("user", "plan");
        assertThat(overrides.get(0).until()).isEmpty();
        assertThat(overrides.get(1).until()).isPresent();
    }

    @Test
    void whatTheLimitLeavesToItsDefaultFollowsTheNewNumbers() {
        List<LimitOverride> overrides = overrides("""
                limits: [{ algorithm: leaky_bucket, rate: 5/s }]
                overrides: [{ when: { plan: vip }, rate: 20/s }]
                """);

        assertThat(overrides.get(0).numbers())
                .isEqualTo(Limit.named("a").leakyBucket(Rate.perSecond(20)).withCapacity(20));
    }

    @Test
    void needsNoTargetWhereThereIsOneLimit() {
        List<LimitOverride> overrides = overrides("""
                limits: [{ algorithm: concurrency, limit: 5, ttl: 10s }]
                overrides: [{ when: { plan: vip }, ttl: 20s }]
                """);

        assertThat(overrides.get(0).numbers()).isEqualTo(Limit.named("a").concurrency(5, Duration.ofSeconds(20)));
    }

    @Test
    void aLimitWithoutIdIsNamedByItsPosition() {
        assertThat(overrides("""
                limits: [{ rate: 1 }, { rate: 1, by: ip }]
                overrides: [{ when: { plan: vip }, of: 1, rate: 20/s }]
                """).get(0).limit()).isEqualTo(1);
    }

    @Test
    void aCountNeverChangesWithAnOverride() {
        overrides("""
                limits: [{ id: x, limit: 5, window: 1m }, { rate: 5 }]
                overrides: [{ when: { plan: vip }, of: x, limit: 9 }, { when: { plan: vip }, of: 1, rate: 9, burst: 1 }]
                """).forEach(override -> {
            assertThat(override.numbers().shape()).isIn("tb", "sw1m.10");
            assertThat(override.numbers().name()).isIn("a", "a.x");
        });
    }

    @Test
    void keepsAPartOfTheLimitForOthers() {
        List<LimitOverride> overrides = overrides("""
                limits: [{ id: all, rate: 10000/s }, { id: held, algorithm: concurrency, limit: 7, ttl: 1m }]
                overrides:
                  - { when: { plan: batch }, of: all, keep: 50% }
                  - { when: { plan: free }, of: held, keep: 20% }
                  - { when: { plan: trial }, of: all, rate: 100/s, keep: 99 }
                  - { when: { plan: paid }, of: all, keep: 0 }
                """);

        assertThat(overrides)
                .extracting(LimitOverride::keep)
                .containsExactly(
                        Optional.of(new Keep.Share(50)),
                        Optional.of(new Keep.Share(20)),
                        Optional.of(new Keep.Permits(99)),
                        Optional.of(new Keep.Permits(0)));
        assertThat(overrides)
                .extracting(each -> each.keep().orElseThrow().permits(each.numbers()))
                .containsExactly(5_000L, 2L, 99L, 0L);
        assertThat(overrides.get(0).numbers()).isEqualTo(Limit.named("a.all").tokenBucket(Rate.perSecond(10_000)));
    }

    /** Otherwise a change of the limit in the written document would leave the old numbers to these callers. */
    @Test
    void anOverrideThatOnlyKeepsIsWrittenWithoutNumbers() {
        RuleDocument document = RuleDocument.parse("f", """
                - id: a
                  limits: [{ rate: 10/s }]
                  overrides:
                    - { when: { plan: batch }, keep: 50% }
                    - { when: { plan: free }, rate: 10/s, keep: 2 }
                    - { when: { plan: paid }, rate: 20/s, keep: 007% }
                """);

        assertThat(RuleJson.rule(((Accepted) document).rules().get(0)))
                .endsWith(
                        "\"overrides\":[{\"when\":{\"plan\":\"batch\"},\"keep\":\"50%\"},"
                                + "{\"when\":{\"plan\":\"free\"},\"keep\":2},"
                                + "{\"when\":{\"plan\":\"paid\"},\"rate\":\"20/s\",\"burst\":20,\"max_wait\":\"0s\",\"keep\":\"7%\"}]}");
    }

    @Test
    void warnsOfAKeepThatNothingPasses() {
        RuleDocument document = RuleDocument.parse("f", """
                - id: a
                  limits: [{ limit: 5, window: 1m }]
                  overrides:
                    - { when: { plan: a }, keep: 5 }
                    - { when: { plan: b }, keep: 100% }
                    - { when: { plan: c }, keep: 4 }
                    - { when: { plan: d }, limit: 0, keep: 100% }
                """);

        assertThat(document).isInstanceOf(Accepted.class);
        assertThat(document.warnings())
                .extracting(Object::toString)
                .containsExactly(
                        "f:4:34: keep: 5: all that the limit holds, so these requests never pass",
                        "f:5:34: keep: 100%: all that the limit holds, so these requests never pass");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ rate: 1 } | when: missing (expected: at least one condition, such as plan: vip)",
                "{ when: {}, of: b, rate: 1 } | when: empty (expected: at least one condition, such as plan: vip)",
                "{ when: { ip: x }, of: b, rate: 1 } | when.ip: x (expected: an address",
                "{ when: { plan: vip }, rate: 1 } | of: missing (expected: the id or position of a limit; the rule has several)",
                "{ when: { plan: vip }, of: d, rate: 1 } | of: d (expected: b or c)",
                "{ when: { plan: vip }, of: 2, rate: 1 } | of: 2 (expected: b or c)",
                "{ when: { plan: vip }, of: b } | override: changes no number (expected: one or more of rate, burst, max_wait, keep)",
                "{ when: { plan: vip }, of: b, limit: 1 } | limit: not a number of token_bucket (expected: rate, burst, max_wait)",
                "{ when: { plan: vip }, of: c, rate: 1 } | rate: not a number of sliding_window (expected: limit)",
                "{ when: { plan: vip }, of: c, limit: 1, window: 1s } | window: not allowed in an override (expected: only numbers",
                "{ when: { plan: vip }, of: c, limit: 1, slices: 1 } | slices: not allowed in an override (expected: only numbers",
                "{ when: { plan: vip }, of: c, limit: 1, by: ip } | by: not allowed in an override (expected: only numbers",
                "{ when: { plan: vip }, of: c, limit: 1, algorithm: sliding_log } | algorithm: not allowed in an override (expected: only",
                "{ when: { plan: vip }, of: c, limit: 1, id: x } | id: not allowed in an override (expected: only numbers",
                "{ when: { plan: vip }, of: c, limit: -1 } | limit: -1 (expected: 0..1000000000000)",
                "{ when: { plan: vip }, of: c, limit: 1, until: 2027-01-01 } | until: 2027-01-01 (expected: a date and time with offset, such as 2027-01-01T00:00:00Z)",
                "{ when: { plan: vip }, of: c, limit: 1, until: +99999-01-01T00:00:00Z } | until: +99999-01-01T00:00:00Z (expected: a date and time",
                "{ when: { plan: vip }, of: c, lim: 1 } | unknown key: lim (expected: a known key; did you mean limit?)",
                "{ when: { plan: vip }, of: c, keep: 2 } | keep: 2 (expected: at most 1, all that the limit holds, or a share such as 20%)",
                "{ when: { plan: vip }, of: c, limit: 5, keep: 6 } | keep: 6 (expected: at most 5, all that the limit holds",
                "{ when: { plan: vip }, of: c, keep: 101% } | keep: 101% (expected: a share from 0% to 100%, such as 20%, or a number of permits)",
                "{ when: { plan: vip }, of: c, keep: -1 } | keep: -1 (expected: a share from 0% to 100%, such as 20%, or a number of permits)",
                "{ when: { plan: vip }, of: c, keep: -1% } | keep: -1% (expected: a share",
                "{ when: { plan: vip }, of: c, keep: 0.5 } | keep: 0.5 (expected: a share",
                "{ when: { plan: vip }, of: c, keep: '1' } | keep: 1 (expected: a share from 0% to 100%, such as 20%, or a number of permits, without quotes)",
                "{ when: { plan: vip }, of: c, keep: [1] } | keep: a list (expected: a single value)",
                "{ when: { plan: vip }, of: c, limit: 1, cost: { reserve: 1 } } | cost: not allowed in an override (expected: only numbers",
                "{ when: { plan: vip }, of: c, limit: 1, durable: true } | durable: not allowed in an override (expected: only numbers",
                "nothing | override: nothing (expected: a mapping)",
            })
    void refusesWhatAnOverrideCannotSay(String override, String expected) {
        RuleDocument document = RuleDocument.parse("f", """
                rules:
                  - id: a
                    limits: [{ id: b, rate: 1 }, { id: c, limit: 1, window: 1m }]
                    overrides:
                      - OVERRIDE
                """.replace("OVERRIDE", override));

        assertThat(((Refused) document).errors())
                .anySatisfy(error -> assertThat(error.message()).startsWith(expected))
                .allSatisfy(error -> assertThat(error.line()).isEqualTo(5));
    }

    @Test
    void doesNotComplainOfAnOverrideWhoseLimitHasTheError() {
        RuleDocument document = RuleDocument.parse("f", """
                rules:
                  - id: a
                    limits: [{ id: b, rate: x }, 5]
                    overrides: [{ when: { plan: vip }, of: b, rate: 3 }]
                """);

        assertThat(((Refused) document).errors())
                .extracting(error -> error.line())
                .containsExactly(3, 3);
    }

    private static List<LimitOverride> overrides(String body) {
        RuleDocument document = RuleDocument.parse("f", "rules:\n- id: a\n" + body.indent(2));
        assertThat(document).isInstanceOf(Accepted.class);
        return ((Accepted) document).rules().get(0).overrides();
    }
}
