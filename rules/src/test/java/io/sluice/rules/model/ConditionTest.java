package io.sluice.rules.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.rules.pattern.Attributes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionTest {

    @ParameterizedTest
    @CsvSource({
        "plan, vip, vip, true",
        "plan, vip, VIP, false",
        "plan, vip, '', false",
        "plan, '', '', true",
        "plan, *, '', true",
        "plan, ?, '', false",
        "plan, v*, vip, true",
        "plan, *p, vip, true",
        "plan, v*p, vp, true",
        "plan, v*p, v, false",
        "plan, vv*vv, vvv, false",
        "plan, v?p, vip, true",
        "plan, v?p, vp, false",
        "plan, *i*, vip, true",
        "plan, *a*b*, xbxa, false",
        "plan, *a*b*, xaxb, true",
        "plan, a**b, ab, true",
        "plan, a\\*b, a*b, true",
        "plan, a\\*b, axb, false",
        "plan, a\\?b, a?b, true",
        "plan, a\\\\b, a\\b, true",
        "plan, ?\\*?, x*y, true",
        "plan, ?\\*?, xzy, false",
        "method, post, POST, true",
        "method, POST, post, true",
        "method, p*t, Post, true",
        "header.X-Plan, v*, vip, true",
        "path, /a/*, /a/b/c, true",
        "ip, 10.0.0.0/8, 10.1.2.3, true",
        "ip, 10.0.0.0/8, 11.1.2.3, false",
        "ip, 10.1.2.3, 10.1.2.3, true",
        "ip, 10.1.2.3, 10.1.2.4, false",
        "ip, 2001:db8::/32, 2001:db8:0:0:0:0:0:7, true",
        "ip, 0.0.0.0/0, 2001:db8:0:0:0:0:0:7, false",
        "ip, 0.0.0.0/0, nonsense, false",
    })
    void matches(String attribute, String value, String given, boolean expected) {
        assertThat(Condition.parse(attribute, List.of(value)).matches(given)).isEqualTo(expected);
    }

    @Test
    void oneOfSeveralValuesIsEnough() {
        Condition condition = Condition.parse("plan", List.of("vip", "g*"));

        assertThat(condition.matches("vip")).isTrue();
        assertThat(condition.matches("gold")).isTrue();
        assertThat(condition.matches("free")).isFalse();
    }

    @Test
    void whatIsMissingNeverMatches() {
        assertThat(Condition.parse("plan", List.of("*")).matches(null)).isFalse();
        assertThat(Condition.parse("ip", List.of("0.0.0.0/0")).matches(null)).isFalse();
    }

    @Test
    void oneCharacterMayBeAnyOfUnicode() {
        Condition condition = Condition.parse("user", List.of("a?b"));

        assertThat(condition.matches("a😀b")).isTrue();
        assertThat(condition.matches("a😀😀b")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "ip, 10.*, 'match.ip: 10.* (expected: an address, or a network such as 10.0.0.0/8 or 2001:db8::/32)'",
        "ip, localhost, 'match.ip: localhost (expected: an address, or a network such as 10.0.0.0/8 or 2001:db8::/32)'",
        "path, /a/, 'match.path: /a/ (expected: /a)'",
        "path, /a%61, 'match.path: /a%61 (expected: /aa)'",
        "path, a*, 'match.path: a* (expected: a path that begins with /)'",
        "path, /a*/, 'match.path: /a*/ (expected: a pattern such as /api/*, no slash at the end)'",
        "user, a\\b, 'match.user: a\\b (expected: \\\\ for a backslash, \\* for a star, \\? for a question mark)'",
        "user, a\\, 'match.user: a\\ (expected: \\\\ for a backslash, \\* for a star, \\? for a question mark)'",
    })
    void theMessageSaysWhatWasExpected(String attribute, String value, String message) {
        assertThatThrownBy(() -> Condition.parse(attribute, List.of(value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void printsAddressesWithoutALength() {
        assertThat(Condition.parse("ip", List.of("::ffff:10.1.2.3", "2001:DB8::/32"))
                        .texts())
                .containsExactly("10.1.2.3", "2001:db8::/32");
    }

    @Test
    void refusesNoValuesAndPatternsWithoutEnd() {
        assertThatThrownBy(() -> Condition.parse("plan", List.of()))
                .hasMessage("match.plan: [] (expected: at least one value)");
        assertThatThrownBy(() -> Condition.parse("plan", List.of("*" + "a".repeat(2_000))))
                .hasMessageContaining("(expected: a pattern of at most 1024 characters)");
    }

    @Test
    void printsWhatItWasReadFrom() {
        Condition condition = Condition.parse("user", List.of("a\\*b", "c*", "d\\\\?"));

        assertThat(condition.texts()).containsExactly("a\\*b", "c*", "d\\\\?");
        assertThat(Condition.parse("user", condition.texts())).isEqualTo(condition);
        assertThat(condition.values()).containsExactly("a*b");
        assertThat(condition).hasToString("user: [a\\*b, c*, d\\\\?]");
    }

    @Test
    void scopesHoldWhenAllTheirConditionsHold() {
        Scope scope = new Scope(
                null,
                null,
                Set.of(),
                Map.of(
                        "plan", Condition.parse("plan", List.of("vip")),
                        "header.X-A", Condition.parse("header.X-A", List.of("1"))));

        assertThat(scope.match()).containsOnlyKeys("plan", "header.x-a");
        assertThat(scope.matches(Attributes.of(Map.of("plan", "vip", "header.X-a", "1"))))
                .isTrue();
        assertThat(scope.matches(Attributes.of(Map.of("plan", "vip")))).isFalse();
        assertThat(scope.matches(Attributes.of(Map.of("header.x-a", "1")))).isFalse();
    }

    @Test
    void scopesRefuseTheConditionOfAnotherAttribute() {
        Condition plan = Condition.parse("plan", List.of("vip"));

        assertThatThrownBy(() -> new Scope(null, null, Set.of(), Map.of("user", plan)))
                .hasMessage("match.user: a condition on plan (expected: on user)");
    }
}
