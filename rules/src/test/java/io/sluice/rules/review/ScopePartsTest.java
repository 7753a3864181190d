package io.sluice.rules.review;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.internal.match.RandomScopes;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScopePartsTest {

    @ParameterizedTest
    @CsvSource({
        "/**, /, true",
        "/**, /a/{b}/c, true",
        "/a/**, /a, true",
        "/a/**, /a/b/**, true",
        "/a/**, /ab, false",
        "/a/{x}, /a/b, true",
        "/a/{x}, /a/{y}, true",
        "/a/{x}, /a/**, false",
        "/a/{x}, /a, false",
        "/a/b, /a/{x}, false",
        "/a, /a/**, false",
        "/{x}, /, false",
    })
    void aPathPatternCoversWhatItMatches(String wide, String narrow, boolean covers) {
        assertThat(covers(resource(wide), resource(narrow))).isEqualTo(covers);
    }

    @ParameterizedTest
    @CsvSource({
        "ip, 10.0.0.0/8, 10.1.0.0/16, true",
        "ip, 10.1.0.0/16, 10.0.0.0/8, false",
        "ip, 0.0.0.0/0, 10.0.0.1, true",
        "ip, 0.0.0.0/0, 2001:db8::1, false",
        "user, u-*, u-17, true",
        "user, u-*, u-1*, true",
        "user, u-1*, u-*, false",
        "user, a*z, ab*yz, true",
        "user, a*z, a*, false",
        "user, '*', '?', true",
        "user, a?, ab, true",
        "user, a*b*c, a*b*c, true",
        "method, GET, HEAD, true",
        "method, HEAD, GET, false",
        "path, /a/*, /a/b*, true",
    })
    void aConditionCoversWhatItMatches(String attribute, String wide, String narrow, boolean covers) {
        assertThat(covers(match(attribute, wide), match(attribute, narrow))).isEqualTo(covers);
    }

    @Test
    void differentSpellingsOfOneRequirementAreCompared() {
        assertThat(covers(resource("/a/**"), match("path", "/a/b"))).isTrue();
        assertThat(covers(resource("/a/**"), match("path", "/a/b*"))).isTrue();
        assertThat(covers(resource("/a/**"), match("path", "/a*"))).isFalse();
        assertThat(covers(match("path", "/a*"), resource("/a/**"))).isTrue();
        assertThat(covers(match("path", "/a/*"), resource("/a/**"))).isFalse();
        assertThat(covers(match("path", "/a/*"), resource("/a/{x}"))).isTrue();
        assertThat(covers(match("path", "/a"), resource("/a"))).isTrue();
        assertThat(covers(match("service", "shop"), new Scope("shop", null, Set.of(), Map.of())))
                .isTrue();
        assertThat(covers(new Scope(null, null, Set.of("GET"), Map.of()), match("method", "head")))
                .isTrue();
    }

    @Test
    void aScopeThatRequiresMoreCoversNothingElse() {
        assertThat(covers(Scope.EVERYTHING, resource("/a"))).isTrue();
        assertThat(covers(resource("/**"), Scope.EVERYTHING))
                .as("a request may have no path")
                .isFalse();
        assertThat(covers(match("user", "*"), match("plan", "*"))).isFalse();
    }

    @Test
    void whateverACoveredScopeMatchesTheOtherMatchesToo() {
        SeededRandom random = SeededRandom.of("ScopePartsTest");
        RandomScopes scopes = new RandomScopes(random, 2, 2);
        List<Attributes> requests = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            requests.add(scopes.request());
        }
        int found = 0;
        for (int i = 0; i < 5_000; i++) {
            Scope wide = scopes.scope();
            Scope narrow = scopes.scope();
            if (covers(wide, narrow)) {
                found++;
                assertThat(requests)
                        .filteredOn(narrow::matches)
                        .as(wide + " covers " + narrow)
                        .allMatch(wide::matches);
            }
        }
        assertThat(found).as("pairs that cover").isPositive();
    }

    @Test
    void anExampleIsInItsScope() {
        RandomScopes scopes = new RandomScopes(SeededRandom.of("ScopePartsTest"), 2, 2);
        for (int i = 0; i < 2_000; i++) {
            Scope scope = scopes.scope();
            new ScopeParts(scope).example(text -> 0).ifPresent(example -> assertThat(scope.matches(example))
                    .isTrue());
        }
        assertThat(new ScopeParts(resource("/a/{b}/**")).example(text -> 0))
                .map(example -> String.valueOf(example.get("path")))
                .contains("/a/x");
        assertThat(new ScopeParts(match("path", "*.php")).example(text -> 0))
                .map(example -> String.valueOf(example.get("path")))
                .contains("/x.php");
    }

    private static boolean covers(Scope wide, Scope narrow) {
        return new ScopeParts(wide).covers(new ScopeParts(narrow));
    }

    private static Scope resource(String pattern) {
        return new Scope(null, PathPattern.of(pattern), Set.of(), Map.of());
    }

    private static Scope match(String attribute, String value) {
        return new Scope(null, null, Set.of(), Map.of(attribute, Condition.parse(attribute, List.of(value))));
    }
}
