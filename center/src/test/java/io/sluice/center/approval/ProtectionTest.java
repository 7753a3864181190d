package io.sluice.center.approval;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What needs a second person. */
class ProtectionTest {

    private static final String LOGIN =
            "{id: login, protected: true, resource: /login, limits: [{by: ip, limit: 5, window: 1m}]}";
    private static final String OPEN = "{id: open, resource: /open, limits: [{by: ip, limit: 5, window: 1m}]}";
    private static final String HEALTH = "{id: health, action: exempt, resource: /health}";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{id: login, protected: true, enabled: false, resource: /login, limits: [{by: ip, limit: 5, window: 1m}]}",
                "{id: login, protected: true, shadow: true, resource: /login, limits: [{by: ip, limit: 5, window: 1m}]}",
                "{id: login, protected: true, resource: /login, limits: [{by: ip, limit: 6, window: 1m}]}",
                "{id: login, protected: true, resource: /login, limits: [{by: ip, limit: 4, window: 1m}]}",
                "{id: login, protected: true, resource: /login, limits: [{by: ip, limit: 5, window: 2m}]}",
                "{id: login, protected: true, resource: /log, limits: [{by: ip, limit: 5, window: 1m}]}",
                "{id: login, protected: true, resource: /login, methods: [PUT], limits: [{by: ip, limit: 5, window: 1m}]}",
                "{id: login, protected: true, resource: /login, mode: local, limits: [{by: ip, limit: 5, window: 1m}]}",
                "{id: login, protected: true, resource: /login, on_failure: open, limits: [{by: ip, limit: 5, window: 1m}]}",
                "{id: login, protected: true, name: x, resource: /login, limits: [{by: ip, limit: 5, window: 1m}]}",
                "{id: login, resource: /login, limits: [{by: ip, limit: 5, window: 1m}]}",
                "{id: login, protected: true, action: exempt, resource: /login}"
            })
    void everyChangeOfAProtectedRule(String changed) {
        assertThat(of(set(3, LOGIN, OPEN), set(3, changed, OPEN))).isNotEmpty().allSatisfy(reason -> {
            assertThat(reason.rule()).isEqualTo("login");
            assertThat(reason.sentence()).startsWith("login: ");
        });
    }

    @Test
    void addingAndRemovingAProtectedRule() {
        assertThat(of(set(3, LOGIN, OPEN), set(3, OPEN)))
                .singleElement()
                .satisfies(reason -> assertThat(reason.sentence()).isEqualTo("login: removed"));
        assertThat(of(set(3, OPEN), set(3, OPEN, LOGIN))).hasSize(1);
        // A version without rules is not the beginning.
        assertThat(of(new RuleSet(3, List.of()), set(3, LOGIN))).hasSize(1);
    }

    @Test
    void nothingElse() {
        String other = OPEN.replace("limit: 5", "limit: 500000");
        assertThat(of(set(3, LOGIN, OPEN), set(3, LOGIN, other))).isEmpty();
        assertThat(of(set(3, LOGIN, OPEN), set(3, LOGIN))).isEmpty();
        assertThat(of(set(3, LOGIN, OPEN), set(3, OPEN, LOGIN))).isEmpty();
        assertThat(of(set(3, OPEN), set(3, OPEN, HEALTH))).isEmpty();
    }

    @Test
    void theFirstVersionNeedsNobody() {
        assertThat(of(RuleSet.none(), set(1, LOGIN, HEALTH))).isEmpty();
    }

    @Test
    void anExemptRuleWeakensProtectedRulesFromOutside() {
        RuleSet before = set(3, LOGIN, HEALTH);
        assertThat(of(set(3, LOGIN), before)).singleElement().satisfies(reason -> {
            assertThat(reason.rule()).isEqualTo("health");
            assertThat(reason.weakensOthers()).isTrue();
        });
        assertThat(of(before, set(3, LOGIN, "{id: health, action: exempt, resource: '/**'}")))
                .hasSize(1);
        assertThat(of(before, set(3, LOGIN, "{id: health, action: exempt, resource: /health, match: {user: x}}")))
                .hasSize(1);
        String off = "{id: health, action: exempt, enabled: false, resource: /health}";
        assertThat(of(set(3, LOGIN, off), before)).hasSize(1);
        // To exempt less weakens nothing.
        assertThat(of(before, set(3, LOGIN))).isEmpty();
        assertThat(of(before, set(3, LOGIN, off))).isEmpty();
        assertThat(of(before, set(3, LOGIN, "{id: health, name: x, action: exempt, resource: /health}")))
                .isEmpty();
    }

    @Test
    void aRuleThatAnEmergencyTouchedCountsAsProtected() {
        String bare = LOGIN.replace("protected: true, ", "");
        RuleSet before = set(3, bare);
        RuleSet after = set(3, bare.replace("limit: 5", "limit: 500"));
        assertThat(of(before, after)).isEmpty();
        assertThat(Protection.of(before, after, Set.of("login"))).hasSize(1);
        assertThat(Protection.of(before, set(3, bare, HEALTH), Set.of("login"))).hasSize(1);
        assertThat(Protection.ofSwitch(List.of(before), "login", Set.of("login")))
                .hasSize(1);
        assertThat(Protection.ofSwitch(List.of(before), "*", Set.of("login"))).hasSize(1);
    }

    @Test
    void aSwitchOfAProtectedRuleOrOfAll() {
        RuleSet set = set(3, LOGIN, OPEN);
        assertThat(Protection.ofSwitch(List.of(set), "login", Set.of())).hasSize(1);
        assertThat(Protection.ofSwitch(List.of(set), "*", Set.of())).hasSize(1);
        assertThat(Protection.ofSwitch(List.of(set), "open", Set.of())).isEmpty();
        assertThat(Protection.ofSwitch(List.of(set(3, OPEN)), "*", Set.of())).isEmpty();
        assertThat(Protection.ofSwitch(List.of(set(3, OPEN), set), "*", Set.of()))
                .hasSize(1);
    }

    @Test
    void aRaiseIsComparedInEachNumber() {
        Limit window = Limit.named("a").slidingWindow(5, Duration.ofMinutes(1));
        assertThat(beyond(window, Limit.named("a").slidingWindow(10, Duration.ofMinutes(1))))
                .isFalse();
        assertThat(beyond(window, Limit.named("a").slidingWindow(11, Duration.ofMinutes(1))))
                .isTrue();
        assertThat(beyond(window, Limit.named("a").slidingWindow(5, Duration.ofSeconds(29))))
                .isTrue();
        assertThat(beyond(window, Limit.named("a").slidingWindow(0, Duration.ofMinutes(1))))
                .isFalse();
        assertThat(beyond(window, Limit.named("a").fixedWindow(5, Duration.ofMinutes(1))))
                .isTrue();
        Limit bucket = Limit.named("a").tokenBucket(Rate.perSecond(10)).withBurst(20);
        assertThat(beyond(
                        bucket, Limit.named("a").tokenBucket(Rate.perSecond(20)).withBurst(40)))
                .isFalse();
        assertThat(beyond(
                        bucket, Limit.named("a").tokenBucket(Rate.perSecond(21)).withBurst(20)))
                .isTrue();
        assertThat(beyond(
                        bucket, Limit.named("a").tokenBucket(Rate.perSecond(10)).withBurst(41)))
                .isTrue();
        assertThat(beyond(
                        bucket,
                        Limit.named("a")
                                .tokenBucket(Rate.perSecond(1_000_000_000))
                                .withBurst(1)))
                .isTrue();
        Limit never = Limit.named("a").tokenBucket(Rate.perSecond(0));
        assertThat(beyond(never, Limit.named("a").tokenBucket(Rate.perDay(1)))).isTrue();
        assertThat(beyond(bucket, never)).isFalse();
        Limit flights = Limit.named("a").concurrency(10, Duration.ofMinutes(1));
        assertThat(beyond(flights, Limit.named("a").concurrency(20, Duration.ofMinutes(1))))
                .isFalse();
        // Permits that expire early let more requests through than the number says.
        assertThat(beyond(flights, Limit.named("a").concurrency(10, Duration.ofSeconds(1))))
                .isTrue();
        Limit most = Limit.named("a").slidingWindow(Limit.MAX_CAPACITY, Duration.ofDays(1));
        assertThat(beyond(most, most)).isFalse();
    }

    private static boolean beyond(Limit before, Limit after) {
        return Raise.isBeyond(before, after, 200);
    }

    private static List<Protection.Reason> of(RuleSet before, RuleSet after) {
        return Protection.of(before, after, Set.of());
    }

    private static RuleSet set(long version, String... rules) {
        RuleDocument document = RuleDocument.parse("test", "rules: [" + String.join(", ", rules) + "]");
        if (document instanceof RuleDocument.Accepted accepted) {
            return new RuleSet(version, accepted.rules());
        }
        throw new AssertionError(((RuleDocument.Refused) document).errors());
    }
}
