package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EarlyRulingTest {

    private static final Map<String, String> MALLORY = Map.of("ip", "203.0.113.9", "path", "/a", "method", "GET");
    private static final Map<String, String> ALICE = Map.of("ip", "198.51.100.1", "path", "/a", "method", "GET");

    private static final String GUESSING = """
            rules:
              - id: guessing
                for: early
                match: { answer.status: [401, 403] }
                limits: [{ by: ip, limit: 2, window: 1m }]
            """;

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
    private final Limiter shared = new Limiter(new LocalEngine(clock), clock, List.of());
    private final List<Settled> told = new ArrayList<>();

    @Test
    void countsAnswersOfItsStatusesAndRefusesWhenNothingIsLeft() {
        Evaluator evaluator = evaluator(GUESSING, null);

        answer(evaluator, MALLORY, 401);
        answer(evaluator, MALLORY, 200);
        answer(evaluator, MALLORY, 404);
        answer(evaluator, MALLORY, 403);

        Settled refusal = refusal(evaluator, MALLORY);
        assertThat(refusal.rule()).extracting(Rule::id).isEqualTo("guessing");
        assertThat(refusal.retryAfter())
                .hasValueSatisfying(wait -> assertThat(wait).isPositive());
        assertThat(told).containsExactly(refusal);
        assertThat(early(evaluator, ALICE).ruling()).isEmpty();
        clock.advance(Duration.ofMinutes(2));
        assertThat(early(evaluator, MALLORY).ruling()).isEmpty();
    }

    @Test
    void countsAnswersInTheStore() {
        Evaluator evaluator = evaluator(GUESSING, shared);

        answer(evaluator, MALLORY, 401);
        answer(evaluator, MALLORY, 401);

        assertThat(refusal(evaluator, MALLORY).mode()).isEqualTo("distributed");
        assertThat(refusal(evaluator(GUESSING, shared), MALLORY).allowed()).isFalse();
        assertThat(early(evaluator(GUESSING, null), MALLORY).ruling()).isEmpty();
    }

    @Test
    void answersBeyondTheLimitAreNotCounted() {
        Evaluator evaluator = evaluator(GUESSING, null);
        List<EarlyRuling> underWay =
                List.of(early(evaluator, MALLORY), early(evaluator, MALLORY), early(evaluator, MALLORY));

        underWay.forEach(each -> answered(evaluator, each, 401));

        assertThat(refusal(evaluator, MALLORY).allowed()).isFalse();
        clock.advance(Duration.ofSeconds(67));
        assertThat(early(evaluator, MALLORY).ruling()).isEmpty();
    }

    @Test
    void chargesRequestsOnceAndNotAgainLater() {
        Evaluator evaluator = evaluator("""
                rules:
                  - { id: flood, for: early, limits: [{ by: ip, limit: 2, window: 1m }] }
                  - { id: users, limits: [{ by: user, limit: 2, window: 1m }] }
                """, null);

        for (int i = 0; i < 2; i++) {
            assertThat(allowed(evaluator, MALLORY).matched()).containsExactly("flood");
            assertThat(later(evaluator, MALLORY).matched()).containsExactly("users");
        }

        assertThat(refusal(evaluator, MALLORY).rule()).extracting(Rule::id).isEqualTo("flood");
        assertThat(later(evaluator, MALLORY).rule()).extracting(Rule::id).isEqualTo("users");
    }

    @Test
    void requestsAreChargedOnlyIfAnswersHaveSomethingLeft() {
        Evaluator evaluator = evaluator("""
                rules:
                  - { id: flood, for: early, limits: [{ by: ip, limit: 2, window: 1h }] }
                  - { id: guessing, for: early, match: { answer.status: 401 }, limits: [{ by: ip, limit: 1, window: 1m }] }
                """, null);
        answer(evaluator, MALLORY, 401);

        assertThat(refusal(evaluator, MALLORY).rule()).extracting(Rule::id).isEqualTo("guessing");
        assertThat(refusal(evaluator, MALLORY).rule()).extracting(Rule::id).isEqualTo("guessing");

        clock.advance(Duration.ofMinutes(2));
        assertThat(allowed(evaluator, MALLORY).allowed()).isTrue();
        assertThat(refusal(evaluator, MALLORY).rule()).extracting(Rule::id).isEqualTo("flood");
    }

    @Test
    void rulesThatDenyByWhatIsKnownEarlyActEarly() {
        Evaluator evaluator = evaluator("""
                rules:
                  - { id: banned, match: { ip: 203.0.113.0/24 }, action: deny }
                  - { id: mallory, match: { user: mallory }, action: deny }
                  - { id: shop, service: shop, action: deny }
                """, null);

        Settled refusal = refusal(evaluator, MALLORY);

        assertThat(refusal.action()).isEqualTo(Action.DENY);
        assertThat(refusal.matched()).containsExactly("banned");
        assertThat(early(evaluator, ALICE)).isSameAs(EarlyRuling.PASSED);
        assertThat(told).hasSize(1);
    }

    @Test
    void anExemptAddressPassesEarlyLimitsAndIsReportedOnce() {
        Evaluator evaluator = evaluator("""
                rules:
                  - { id: office, match: { ip: 203.0.113.0/24 }, action: exempt }
                  - { id: monitor, for: early, match: { ip: 198.51.100.0/24 }, action: exempt }
                  - { id: flood, for: early, limits: [{ by: ip, limit: 0, window: 1m }] }
                  - { id: nothing, limits: [{ limit: 0, window: 1m }] }
                """, null);

        assertThat(early(evaluator, MALLORY)).isSameAs(EarlyRuling.PASSED);
        assertThat(early(evaluator, ALICE)).isSameAs(EarlyRuling.PASSED);
        assertThat(told).isEmpty();
        assertThat(later(evaluator, MALLORY).action()).isEqualTo(Action.EXEMPT);
        assertThat(later(evaluator, ALICE).action()).isEqualTo(Action.EXEMPT);
        assertThat(refusal(evaluator, Map.of("ip", "192.0.2.1")).allowed()).isFalse();
    }

    @Test
    void aShadowRuleCountsAnswersAndNeverRefuses() {
        Evaluator evaluator = evaluator(GUESSING.replace("for: early", "for: early\n    shadow: true"), null);
        answer(evaluator, MALLORY, 401);
        answer(evaluator, MALLORY, 401);
        assertThat(told).isEmpty();

        assertThat(early(evaluator, MALLORY).ruling()).isEmpty();

        assertThat(told).hasSize(1);
        assertThat(told.get(0).shadowRefused())
                .extracting(label -> label.limit())
                .containsExactly("guessing.0");
    }

    @Test
    void withoutAuthenticationAnEarlyRuleIsLikeAnyOther() {
        Evaluator evaluator = evaluator(GUESSING + """
              - { id: flood, for: early, limits: [{ by: ip, rate: 5 }] }
            """, null);

        assertThat(settled(evaluator, Map.of("ip", "203.0.113.9")).matched()).containsExactly("flood");
        assertThat(settled(evaluator, Map.of("ip", "203.0.113.9", "answer.status", "401"))
                        .matched())
                .containsExactly("guessing", "flood");
    }

    @Test
    void aRuleForCodeMatchesNoRequestAndAppliesWhereItIsNamed() {
        Evaluator evaluator = evaluator("""
                rules:
                  - { id: report, for: code, limits: [{ by: user, limit: 1, window: 1m }] }
                """, null);
        Rule report = evaluator.rules().rule("report").orElseThrow();
        Attributes request = Attributes.of(Map.of("user", "u"));

        assertThat(settled(evaluator, Map.of("user", "u")).matched()).isEmpty();
        assertThat(evaluator.rules().hasScopes()).isFalse();
        assertThat(named(evaluator, new RuleCall(report, request, 1)).allowed()).isTrue();
        assertThat(named(evaluator, new RuleCall(report, request, 1)).allowed()).isFalse();
    }

    @Test
    void aSetWithoutEarlyRulesSaysSo() {
        assertThat(set("rules: [{ id: a, limits: [{ by: ip, rate: 1 }] }]").hasEarly())
                .isFalse();
        assertThat(set("rules: [{ id: a, match: { ip: 10.0.0.0/8 }, action: exempt }]")
                        .hasEarly())
                .isFalse();
        assertThat(set("rules: [{ id: a, match: { user: u }, action: deny }]").hasEarly())
                .isFalse();
        assertThat(set("rules: [{ id: a, enabled: false, for: early, limits: [{ rate: 1 }] }]")
                        .hasEarly())
                .isFalse();
        assertThat(set(GUESSING).numbered(9).hasEarly()).isTrue();
    }

    @Test
    void aListenerCanTellRequestsThatWillBeRuledOnAgain() {
        List<String> heard = new ArrayList<>();
        RuleSet set = set("""
                rules:
                  - { id: flood, for: early, limits: [{ by: ip, limit: 1, window: 1m }] }
                  - { id: users, limits: [{ by: user, limit: 2, window: 1m }] }
                """);
        Evaluator evaluator =
                new Evaluator(() -> set, local, null, KeySettings.ofThisProcess(), clock, new RulingListener() {
                    @Override
                    public void ruled(Settled ruling, long elapsedNanos) {
                        heard.add((ruling.allowed() ? "allowed by " : "refused by ") + ruling.matched());
                    }

                    @Override
                    public void passedEarly(Settled ruling, long elapsedNanos) {
                        heard.add("passed " + ruling.matched());
                    }
                });
        allowed(evaluator, MALLORY);
        later(evaluator, MALLORY);
        refusal(evaluator, MALLORY);

        assertThat(heard).containsExactly("passed [flood]", "allowed by [users]", "refused by [flood]");
    }

    private Evaluator evaluator(String rules, @Nullable Limiter store) {
        RuleSet set = set(rules);
        return new Evaluator(
                () -> set, local, store, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> told.add(ruling));
    }

    private static RuleSet set(String rules) {
        RuleDocument document = RuleDocument.parse("test", rules);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(7, ((RuleDocument.Accepted) document).rules());
    }

    private static EarlyRuling early(Evaluator evaluator, Map<String, String> request) {
        return evaluator
                .evaluateEarly(Attributes.of(request))
                .toCompletableFuture()
                .join();
    }

    /** Lets a request pass that is answered with this status. */
    private static void answer(Evaluator evaluator, Map<String, String> request, int status) {
        EarlyRuling ruling = early(evaluator, request);
        assertThat(ruling.ruling().map(said -> ((Settled) said).allowed())).isNotEqualTo(Optional.of(false));
        answered(evaluator, ruling, status);
    }

    private static void answered(Evaluator evaluator, EarlyRuling ruling, int status) {
        assertThat(evaluator.answered(ruling, status).toCompletableFuture()).succeedsWithin(Duration.ofMinutes(1));
    }

    private static Settled allowed(Evaluator evaluator, Map<String, String> request) {
        Settled settled = (Settled) early(evaluator, request).ruling().orElseThrow();
        assertThat(settled.allowed()).isTrue();
        return settled;
    }

    private static Settled refusal(Evaluator evaluator, Map<String, String> request) {
        EarlyRuling early = early(evaluator, request);
        Settled settled = (Settled) early.ruling().orElseThrow();
        assertThat(settled.allowed()).isFalse();
        assertThat(early.countsAnswer()).isFalse();
        return settled;
    }

    private static Settled later(Evaluator evaluator, Map<String, String> request) {
        return (Settled) evaluator
                .evaluateAfterEarly(Attributes.of(request), 1)
                .toCompletableFuture()
                .join();
    }

    private static Settled settled(Evaluator evaluator, Map<String, String> request) {
        return (Settled) evaluator
                .evaluate(Attributes.of(request), 1)
                .toCompletableFuture()
                .join();
    }

    private static Settled named(Evaluator evaluator, RuleCall call) {
        return (Settled)
                evaluator.evaluateNamed(List.of(call)).toCompletableFuture().join();
    }
}
