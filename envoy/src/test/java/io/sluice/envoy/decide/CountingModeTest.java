package io.sluice.envoy.decide;

import static io.sluice.envoy.decide.Desk.d;
import static io.sluice.envoy.decide.Desk.hits;
import static io.sluice.envoy.decide.Desk.limited;
import static io.sluice.envoy.decide.Desk.request;
import static io.sluice.envoy.decide.Desk.shown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class CountingModeTest {

    private static final String TWO = """
            domain: d
            descriptors:
              - { key: a, rate_limit: { unit: minute, requests_per_unit: 3 } }
              - { key: b, rate_limit: { unit: minute, requests_per_unit: 5 } }
            """;

    @Test
    void countsEachValueByItselfUntilTheWindowEnds() {
        Desk desk = Desk.with(TWO);
        for (int i = 2; i >= 0; i--) {
            assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 3/MINUTE " + i);
        }
        RateLimitResponse refused = desk.ask("d", d("a=x"));

        assertThat(shown(refused)).isEqualTo("OVER 3/MINUTE 0");
        assertThat(refused.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(refused.getStatuses(0).getDurationUntilReset().getSeconds()).isEqualTo(30);
        assertThat(shown(desk.ask("d", d("a=y")))).isEqualTo("OK 3/MINUTE 2");
        desk.clock.advance(Duration.ofSeconds(30));
        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 3/MINUTE 2");
    }

    @Test
    void aRefusedRequestChargesNoDescriptor() {
        Desk desk = Desk.with(TWO);
        for (int i = 0; i < 3; i++) {
            desk.ask("d", d("a=x"));
        }
        for (int i = 0; i < 10; i++) {
            RateLimitResponse refused = desk.ask("d", d("a=x"), d("b=x"));
            assertThat(shown(refused)).isEqualTo("OVER 3/MINUTE 0, OK 5/MINUTE 5");
            assertThat(refused.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        }
        assertThat(shown(desk.ask("d", d("b=x")))).isEqualTo("OK 5/MINUTE 4");
    }

    @Test
    void allDescriptorsAreOneDecisionAndReportedOnce() {
        Desk desk = Desk.with(TWO);
        desk.ask("d", d("a=x"), d("b=x"), d("c=x"));

        assertThat(desk.told).hasSize(1);
        Ruling.Settled told = desk.told.get(0);
        assertThat(told.allowed()).isTrue();
        assertThat(told.matched()).containsExactly("d.a", "d.b");
        assertThat(told.reported().id()).isEqualTo("d.a.0");
        desk.ask("d", d("nobody=x"));
        assertThat(desk.told.get(1).rule()).isNull();
    }

    @Test
    void equalDescriptorsAddUp() {
        Desk desk = Desk.with(TWO);

        assertThat(shown(desk.ask("d", d("a=x"), d("a=x")))).isEqualTo("OK 3/MINUTE 1, OK 3/MINUTE 1");
        assertThat(shown(desk.ask("d", d("a=x"), d("a=x")))).isEqualTo("OK 3/MINUTE 1, OVER 3/MINUTE 1");
        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 3/MINUTE 0");
    }

    @Test
    void anAddendOfTheRequestCountsForEachDescriptorWithoutOne() {
        Desk desk = Desk.with(TWO);
        RateLimitRequest three = request("d", d("a=x"), hits(1, d("b=x"))).toBuilder()
                .setHitsAddend(3)
                .build();

        assertThat(shown(desk.ask(three))).isEqualTo("OK 3/MINUTE 0, OK 5/MINUTE 4");
        assertThat(shown(desk.ask(three))).isEqualTo("OVER 3/MINUTE 0, OK 5/MINUTE 4");
    }

    @Test
    void aDescriptorsOwnAddendOfZeroOnlyLooks() {
        Desk desk = Desk.with(TWO);
        for (int i = 0; i < 5; i++) {
            assertThat(shown(desk.ask("d", hits(0, d("a=x"))))).isEqualTo("OK 3/MINUTE 3");
        }
        assertThat(shown(desk.ask("d", hits(3, d("a=x"))))).isEqualTo("OK 3/MINUTE 0");
        assertThat(shown(desk.ask("d", hits(0, d("a=x"))))).isEqualTo("OVER 3/MINUTE 0");
        assertThat(shown(desk.ask("d", hits(0, d("a=x")), d("b=x")))).isEqualTo("OVER 3/MINUTE 0, OK 5/MINUTE 5");
        assertThat(shown(desk.ask("d", d("b=x")))).isEqualTo("OK 5/MINUTE 4");
    }

    @Test
    void negativeHitsChargeNothing() {
        Desk desk = Desk.with(TWO);
        RateLimitDescriptor negative = hits(2, d("a=x")).toBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                4,
                                UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                        .build())
                .build();

        assertThat(shown(desk.ask("d", negative))).isEqualTo("OK 3/MINUTE 3");
        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 3/MINUTE 2");
    }

    @Test
    void anAddendThatNoLimitCanHoldIsOverLimitAndChargesNothing() {
        Desk desk = Desk.with(TWO + "  - { key: c, rate_limit: { unit: day, requests_per_unit: 4294967295 } }\n");
        for (long addend : new long[] {4, 1_000_000_000, 1_000_000_001, 4_294_967_295L, Long.MAX_VALUE, -1}) {
            assertThat(shown(desk.ask("d", hits(addend, d("a=x")), d("b=x"))))
                    .isEqualTo("OVER 3/MINUTE 3, OK 5/MINUTE 5");
        }
        RateLimitRequest most =
                request("d", d("a=x")).toBuilder().setHitsAddend(-1).build();
        assertThat(shown(desk.ask(most))).isEqualTo("OVER 3/MINUTE 3");
        assertThat(shown(desk.ask("d", hits(1_000_000_000, d("c=x"))))).isEqualTo("OK 4294967295/DAY 3294967295");
        assertThat(shown(desk.ask("d", hits(1_000_000_000, d("c=x")), d("c=x"))))
                .startsWith("OK 4294967295/DAY 3294967295, OVER");
        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 3/MINUTE 2");
    }

    @Test
    void valuesOfAWildcardShareACountIfConfigured() {
        Desk desk = Desk.with("""
                domain: d
                descriptors:
                  - { key: file, value: "shared/*", share_threshold: true, rate_limit: { unit: hour, requests_per_unit: 10 } }
                  - { key: file, value: "own/*", rate_limit: { unit: hour, requests_per_unit: 10 } }
                  - key: dir
                    value: "x*"
                    share_threshold: true
                    descriptors: [{ key: user, rate_limit: { unit: hour, requests_per_unit: 10 } }]
                """);

        assertThat(shown(desk.ask("d", d("file=shared/a"), d("file=shared/b"))))
                .isEqualTo("OK 10/HOUR 8, OK 10/HOUR 8");
        assertThat(shown(desk.ask("d", d("file=own/a"), d("file=own/b")))).isEqualTo("OK 10/HOUR 9, OK 10/HOUR 9");
        assertThat(shown(desk.ask("d", d("dir=x1", "user=u")))).isEqualTo("OK 10/HOUR 9");
        assertThat(shown(desk.ask("d", d("dir=x2", "user=u")))).isEqualTo("OK 10/HOUR 8");
        assertThat(shown(desk.ask("d", d("dir=x2", "user=v")))).isEqualTo("OK 10/HOUR 9");
    }

    private static final String QUOTAS = """
            domain: quota
            descriptors:
              - key: service
                value: one
                quota_mode: true
                rate_limit: { unit: minute, requests_per_unit: 1 }
                metadata: { target: { name: one, weight: 7, spare: [x, "7", 0.5, true, ~] }, first: one }
              - key: service
                value: two
                quota_mode: true
                rate_limit: { unit: minute, requests_per_unit: 2 }
                metadata: { target: { name: two, zone: b }, second: two }
              - key: service
                value: tried
                quota_mode: true
                shadow_mode: true
                rate_limit: { unit: minute, requests_per_unit: 0 }
              - { key: plain, rate_limit: { unit: minute, requests_per_unit: 9 }, metadata: { plain: 1 } }
            """;

    @Test
    void quotasRefuseARequestOnlyIfAllOfThemAreUsedUp() {
        Desk desk = Desk.with(QUOTAS);
        RateLimitRequest both = request("quota", d("service=one"), d("service=two"), d("plain=x"));

        RateLimitResponse first = desk.ask(both);
        assertThat(shown(first)).isEqualTo("OK 1/MINUTE 0, OK 2/MINUTE 1, OK 9/MINUTE 8");
        RateLimitResponse second = desk.ask(both);
        assertThat(shown(second)).isEqualTo("OVER 1/MINUTE 0, OK 2/MINUTE 0, OK 9/MINUTE 7");
        assertThat(second.getOverallCode()).isEqualTo(Code.OK);
        RateLimitResponse third = desk.ask(both);
        assertThat(shown(third)).isEqualTo("OVER 1/MINUTE 0, OVER 2/MINUTE 0, OK 9/MINUTE 7");
        assertThat(third.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(shown(desk.ask("quota", d("plain=x")))).isEqualTo("OK 9/MINUTE 6");

        assertThat(desk.told).extracting(Ruling.Settled::allowed).containsExactly(true, true, false, true);
        Ruling.Settled refusal = desk.told.get(2);
        assertThat(refusal.reported().id()).isEqualTo("quota.service_one.0");
        assertThat(refusal.retryAfter()).contains(Duration.ofSeconds(30));
        assertThat(refusal.shadowRefused())
                .extracting(label -> label.limit())
                .containsExactly("quota.service_one.0", "quota.service_two.0");

        desk.clock.advance(Duration.ofMinutes(1));
        assertThat(desk.ask(both).getOverallCode()).isEqualTo(Code.OK);
    }

    @Test
    void aRequestThatAnotherLimitRefusesChargesNoQuota() {
        Desk desk = Desk.with(QUOTAS);

        assertThat(shown(desk.ask("quota", d("service=one"), hits(10, d("plain=x")))))
                .isEqualTo("OK 1/MINUTE 1, OVER 9/MINUTE 9");
        assertThat(shown(desk.ask("quota", d("service=one"), d("plain=x")))).isEqualTo("OK 1/MINUTE 0, OK 9/MINUTE 8");
        RateLimitResponse look = desk.ask("quota", hits(0, d("service=one")), hits(0, d("plain=x")));
        assertThat(shown(look)).isEqualTo("OVER 1/MINUTE 0, OK 9/MINUTE 8");
        assertThat(look.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    }

    @Test
    void aQuotaInShadowRefusesNothingEvenAlone() {
        Desk desk = Desk.with(QUOTAS);

        RateLimitResponse alone = desk.ask("quota", d("service=tried"));
        assertThat(shown(alone)).isEqualTo("OK 0/MINUTE 0");
        assertThat(alone.getOverallCode()).isEqualTo(Code.OK);
    }

    @Test
    void asInTheReferenceAllQuotasTogetherRefuseAndTheRequestIsCounted() {
        Desk desk = Desk.countingLikeTheReference(QUOTAS);
        RateLimitRequest both = request("quota", d("service=one"), d("service=two"), d("plain=x"));

        assertThat(desk.ask(both).getOverallCode()).isEqualTo(Code.OK);
        RateLimitResponse second = desk.ask(both);
        assertThat(shown(second)).isEqualTo("OVER 1/MINUTE 0, OK 2/MINUTE 0, OK 9/MINUTE 7");
        assertThat(second.getOverallCode()).isEqualTo(Code.OK);
        RateLimitResponse third = desk.ask(both);
        assertThat(shown(third)).isEqualTo("OVER 1/MINUTE 0, OVER 2/MINUTE 0, OK 9/MINUTE 6");
        assertThat(third.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    }

    @Test
    void anExemptedQuotaIsNoQuota() {
        Desk desk = Desk.with(QUOTAS, """
                rules:
                  - { id: office, match: { descriptor.service: two }, action: exempt }
                """);
        RateLimitRequest both = request("quota", d("service=one"), d("service=two"), d("plain=x"));

        assertThat(desk.ask(both).getOverallCode()).isEqualTo(Code.OK);
        RateLimitResponse second = desk.ask(both);
        assertThat(shown(second)).isEqualTo("OVER 1/MINUTE 0, OK 0, OK 9/MINUTE 8");
        assertThat(second.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    }

    @Test
    void theMetadataOfTheRulesThatPassIsMergedAndTheFirstValueWins() throws Exception {
        Desk desk = Desk.with(QUOTAS);
        RateLimitRequest both = request("quota", d("service=one"), hits(1, d("service=two")), d("plain=x"));

        assertThat(metadata(desk.ask(both)))
                .isEqualTo("{\"descriptors\":[{\"entries\":[\"service\\u003done\"]},"
                        + "{\"entries\":[\"service\\u003dtwo\"],\"hitsAddend\":1.0},{\"entries\":[\"plain\\u003dx\"]}],"
                        + "\"domain\":\"quota\",\"metadata\":{\"first\":\"one\","
                        + "\"target\":{\"name\":\"one\",\"spare\":[\"x\",\"7\",0.5,true,null],\"weight\":7.0,\"zone\":\"b\"},"
                        + "\"second\":\"two\",\"plain\":1.0}}");
        assertThat(metadata(desk.ask(both)))
                .contains("\"target\":{\"name\":\"two\",\"zone\":\"b\"}")
                .doesNotContain("first");
        assertThat(metadata(desk.ask(both))).contains("\"metadata\":{\"plain\":1.0}");
        assertThat(metadata(desk.ask("quota", limited(3, RateLimitUnit.HOUR, d("service=x")), d("service=one"))))
                .contains("\"limit\":\"requests_per_unit:3 unit:HOUR\"")
                .doesNotContain("metadata");
        assertThat(desk.ask("quota", d("other=x")).hasDynamicMetadata()).isFalse();
    }

    @Test
    void aShadowLimitCountsButNeverRefuses() {
        Desk desk = Desk.with("""
                domain: d
                descriptors:
                  - { key: a, shadow_mode: true, rate_limit: { unit: minute, requests_per_unit: 2 } }
                """);

        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 2/MINUTE 1");
        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 2/MINUTE 0");
        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 2/MINUTE 0");
        assertThat(desk.told.get(1).shadowRefused()).isEmpty();
        assertThat(desk.told.get(2).shadowRefused())
                .extracting(label -> label.limit())
                .containsExactly("d.a.0");
    }

    @Test
    void aLimitInTheRequestReplacesAllOthersOfItsDomain() {
        Desk desk = Desk.with(TWO);
        RateLimitDescriptor own = limited(2, RateLimitUnit.HOUR, d("a=x"));

        assertThat(shown(desk.ask("d", own))).isEqualTo("OK 2/HOUR 1");
        assertThat(shown(desk.ask("d", own))).isEqualTo("OK 2/HOUR 0");
        assertThat(shown(desk.ask("d", own))).isEqualTo("OVER 2/HOUR 0");
        assertThat(shown(desk.ask("d", limited(4, RateLimitUnit.HOUR, d("a=x")))))
                .isEqualTo("OK 4/HOUR 1");
        assertThat(shown(desk.ask("d", limited(2, RateLimitUnit.HOUR, d("a=y")))))
                .isEqualTo("OK 2/HOUR 1");
        assertThat(shown(desk.ask("d", limited(2, RateLimitUnit.HOUR, d("b=x")))))
                .isEqualTo("OK 2/HOUR 1");
        assertThat(shown(desk.ask("d", limited(9, RateLimitUnit.YEAR, d("none=x")))))
                .isEqualTo("OK 9/YEAR 8");
        assertThat(shown(desk.ask("unknown", own))).isEqualTo("OK 0");
        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 3/MINUTE 2");
        assertThatThrownBy(() -> desk.ask("d", limited(2, RateLimitUnit.UNKNOWN, d("a=x"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit.unit: unknown (expected: SECOND to YEAR)");
        assertThat(desk.told)
                .extracting(
                        told -> told.reported() == null ? "" : told.reported().id())
                .containsOnly("d.request-limit.0", "d.a.0", "");
    }

    @Test
    void ourOwnRulesSeeDomainAndDescriptors() {
        Desk desk = Desk.with(TWO, """
                rules:
                  - id: per-a
                    match: { domain: d }
                    limits: [{ by: descriptor.a, absent: skip, rate: 2/s, burst: 2 }]
                  - { id: banned, match: { descriptor.a: bad }, action: deny }
                  - { id: office, match: { descriptor.a: good }, action: exempt }
                """);

        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 2/SECOND 1");
        assertThat(shown(desk.ask("d", d("a=x"), d("b=x")))).isEqualTo("OK 2/SECOND 0, OK 5/MINUTE 4");
        assertThat(shown(desk.ask("d", d("a=x"), d("b=x")))).isEqualTo("OVER 2/SECOND 0, OK 5/MINUTE 4");
        assertThat(shown(desk.ask("d", d("b=x"), d("a=bad")))).isEqualTo("OK 5/MINUTE 4, OVER 0");
        assertThat(shown(desk.ask("d", d("b=x"), d("a=good")))).isEqualTo("OK 5/MINUTE 3, OK 0");
        assertThat(shown(desk.ask("other", d("a=x")))).isEqualTo("OK 0");
    }

    @Test
    void asInTheReferenceEachDescriptorIsCountedOnItsOwnEvenIfRefused() {
        Desk desk = Desk.countingLikeTheReference(TWO);

        assertThat(shown(desk.ask("d", hits(4, d("a=x")), d("b=x")))).isEqualTo("OVER 3/MINUTE 3, OK 5/MINUTE 4");
        assertThat(shown(desk.ask("d", d("a=x"), d("b=x")))).isEqualTo("OVER 3/MINUTE 0, OK 5/MINUTE 3");
        assertThat(shown(desk.ask("d", d("b=y"), d("b=y")))).isEqualTo("OK 5/MINUTE 4, OK 5/MINUTE 3");
        assertThat(shown(desk.ask("d", hits(0, d("b=x"))))).isEqualTo("OK 5/MINUTE 3");
        desk.clock.advance(Duration.ofMinutes(1));
        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 3/MINUTE 2");
    }

    @Test
    void asInTheReferenceARequestRefusedByAnotherRuleIsCountedInFull() {
        Desk desk = Desk.countingLikeTheReference(TWO, """
                rules:
                  - { id: own, match: { descriptor.b: x }, limits: [{ algorithm: fixed_window, limit: 1, window: 1d }] }
                  - { id: banned, match: { descriptor.b: bad }, action: deny }
                """);

        assertThat(shown(desk.ask("d", d("b=x")))).isEqualTo("OK 1/DAY 0");
        assertThat(shown(desk.ask("d", hits(2, d("b=x"))))).isEqualTo("OVER 1/DAY 0");
        assertThat(shown(desk.ask("d", d("b=bad")))).isEqualTo("OVER 0");
        desk.set = Desk.rules(TWO);
        assertThat(shown(desk.ask("d", hits(0, d("b=x"))))).isEqualTo("OK 5/MINUTE 2");
        assertThat(shown(desk.ask("d", hits(0, d("b=bad"))))).isEqualTo("OK 5/MINUTE 5");
    }

    @Test
    void asInTheReferenceAShadowLimitThatWouldRefuseUsesUpOnlyItself() {
        Desk desk = Desk.countingLikeTheReference(TWO + """
                  - { key: c, shadow_mode: true, rate_limit: { unit: minute, requests_per_unit: 3 } }
                """, """
                rules:
                  - { id: tried, shadow: true, match: { domain: d }, limits: [{ algorithm: fixed_window, limit: 1, window: 1d }] }
                """);

        assertThat(shown(desk.ask("d", hits(2, d("b=x"))))).isEqualTo("OK 5/MINUTE 3");
        assertThat(shown(desk.ask("d", d("b=x")))).isEqualTo("OK 5/MINUTE 2");
        assertThat(shown(desk.ask("d", hits(4, d("c=x"))))).startsWith("OK ");
        desk.set = Desk.rules(TWO + "  - { key: c, rate_limit: { unit: minute, requests_per_unit: 3 } }\n");
        assertThat(shown(desk.ask("d", hits(0, d("b=x"))))).isEqualTo("OK 5/MINUTE 2");
        assertThat(shown(desk.ask("d", hits(0, d("c=x"))))).isEqualTo("OVER 3/MINUTE 0");
    }

    @Test
    void doesNotHoldConcurrencyPermitsThatCannotBeReleased() {
        String[] documents = {TWO, """
                rules:
                  - { id: held, match: { domain: d }, limits: [{ algorithm: concurrency, limit: 2, ttl: 1h }] }
                  - { id: tried, shadow: true, match: { domain: d }, limits: [{ algorithm: concurrency, limit: 4, ttl: 1h }] }
                """};
        for (Desk desk : List.of(Desk.with(documents), Desk.countingLikeTheReference(documents))) {
            for (int i = 0; i < 5; i++) {
                assertThat(shown(desk.ask("d", d("none=x")))).isEqualTo("OK 2/UNKNOWN 2");
            }
            assertThat(shown(desk.ask("d", hits(3, d("none=x"))))).isEqualTo("OVER 2/UNKNOWN 2");
            assertThat(desk.told).allMatch(told -> told.permit() == null);
            Attributes caller = Attributes.of(Map.of("domain", "d"));
            Ruling.Settled first = settled(desk.evaluator.evaluate(caller, 1));
            assertThat(settled(desk.evaluator.evaluate(caller, 1)).allowed()).isTrue();

            assertThat(shown(desk.ask("d", d("b=x")))).isEqualTo("OVER 2/UNKNOWN 0");
            desk.evaluator.release(first.permit()).toCompletableFuture().join();
            assertThat(shown(desk.ask("d", d("b=x")))).isEqualTo("OK 2/UNKNOWN 1");
            assertThat(settled(desk.evaluator.evaluate(caller, 1)).shadowRefused())
                    .isEmpty();
        }
    }

    private static Ruling.Settled settled(CompletionStage<Ruling> ruling) {
        return (Ruling.Settled) ruling.toCompletableFuture().join();
    }

    private static String metadata(RateLimitResponse response) throws Exception {
        return JsonFormat.printer().omittingInsignificantWhitespace().print(response.getDynamicMetadata());
    }
}
