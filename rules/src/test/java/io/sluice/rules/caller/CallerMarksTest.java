package io.sluice.rules.caller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallerMarksTest {

    private static final String SIXTEEN = "0123456789abcdef";

    private final RuleSet plain = rules("""
            rules:
              - { id: both, limits: [{ by: [tenant, user], rate: 5 }] }
              - { id: named, limits: [{ id: n, by: user, rate: 5 }] }
              - { id: all, limits: [{ rate: 5 }] }
            """);
    private final RuleSet hashed =
            rules("rules: [{ id: a, limits: [{ by: user, rate: 5, privacy: hash }, { by: ip, rate: 5 }] }]");
    private final CallerMarks marks = new CallerMarks(KeySettings.ofThisProcess());

    @ParameterizedTest
    @CsvSource({
        "user, u-100086, u****86",
        "user, abcdef, a****ef",
        "user, abcde, a****",
        "user, abc, a****",
        "user, ab, ****",
        "user, a, ****",
        "user, '', ****",
        "user, 你好世界再见, 你****再见",
        "user, \uD83D\uDE00\uD83D\uDE01\uD83D\uDE02\uD83D\uDE03\uD83D\uDE04\uD83D\uDE05, \uD83D\uDE00****\uD83D\uDE04\uD83D\uDE05",
        "user, \uD83D\uDE00\uD83D\uDE01, ****",
        "ip, 203.0.113.77, 203.0.113.*",
        "ip, 2001:db8:1:2::, 2001:db8:1:*",
        "ip, 2001:db8::, 2001:db8:*",
        "ip, ::1, *",
        "ip, unknown, unknown",
    })
    void hidesMostOfAValue(String attribute, String value, String masked) {
        assertThat(CallerMarks.mask(attribute, value)).isEqualTo(masked);
    }

    @Test
    void showsNoCharacterThatCannotBeSeen() {
        assertThat(CallerMarks.mask("user", "\u202Eabcd\n\u0000")).isEqualTo("?****??");
        assertThat(CallerMarks.mask("user", "\uD83Dabcd\uDE00x")).isEqualTo("?****?x");
    }

    @Test
    void anIpv6CallerIsItsNetwork() {
        CallerMark one =
                marks.of(plain, "ip", request("ip", "2001:db8:1:2:3:4:5:6")).orElseThrow();
        CallerMark other =
                marks.of(plain, "ip", request("ip", "2001:db8:1:2::9")).orElseThrow();
        assertThat(one).isEqualTo(other);
        assertThat(one.masked()).isEqualTo("2001:db8:1:*");
        assertThat(marks.of(plain, "ip", request("ip", "::ffff:203.0.113.9"))
                        .orElseThrow()
                        .masked())
                .isEqualTo("203.0.113.*");
    }

    @Test
    void namesTheCallerOfALimit() {
        Rule both = plain.rules().get(0);
        Attributes request = Attributes.of(Map.of("tenant", "acme-42", "user", "u-100086", "ip", "203.0.113.7"));
        CallerMark mark = marks.caller(plain, both, "both.0", request).orElseThrow();
        assertThat(mark.masked()).isEqualTo("a****42,u****86");
        assertThat(mark.hash()).matches("[0-9A-Za-z_-]{43}");
        assertThat(CallerMarks.attributes(both, "both.0")).isEqualTo("tenant,user");
        assertThat(mark.hash())
                .isNotEqualTo(marks.of(plain, "user", request).orElseThrow().hash());
        // A limit by one attribute has the caller that the attribute has.
        assertThat(marks.caller(plain, plain.rules().get(1), "named.n", request))
                .isEqualTo(marks.of(plain, "user", request));
        // All callers have one count, so the address tells them apart.
        assertThat(marks.caller(plain, plain.rules().get(2), "all.0", request))
                .isEqualTo(marks.of(plain, "ip", request));
        assertThat(marks.caller(plain, plain.rules().get(2), "all.0", request("user", "u-1")))
                .isEmpty();
        // Without a user, the limit counts by the address.
        assertThat(marks.caller(plain, plain.rules().get(1), "named.n", request("ip", "203.0.113.7"))
                        .orElseThrow()
                        .masked())
                .isEqualTo("203.0.113.*");
    }

    @Test
    void neverShowsAValueThatSomeLimitHides() {
        Attributes request = Attributes.of(Map.of("user", "u-100086", "ip", "203.0.113.7"));
        Rule rule = hashed.rules().get(0);
        assertThat(marks.caller(hashed, rule, "a.0", request).orElseThrow().masked())
                .isEmpty();
        assertThat(marks.of(hashed, "user", request).orElseThrow().masked()).isEmpty();
        assertThat(marks.of(hashed, "user", request).orElseThrow().shown())
                .startsWith("#")
                .hasSize(9);
        assertThat(marks.caller(hashed, rule, "a.1", request).orElseThrow().masked())
                .isEqualTo("203.0.113.*");
        assertThat(marks.hidden(hashed)).containsExactly("user");
        assertThat(marks.hidden(plain)).isEmpty();
    }

    @Test
    void aSecretThatLearnsAnotherGivesTheHashesOfTheOther() {
        byte[] agreed = (SIXTEEN + "x").getBytes(StandardCharsets.US_ASCII);
        KeySecret own = KeySecret.replaceable(SIXTEEN.getBytes(StandardCharsets.US_ASCII));
        CallerMarks learning = new CallerMarks(new KeySettings(own, 64));
        CallerMarks others = new CallerMarks(new KeySettings(KeySecret.of(agreed), 64));
        Attributes request = request("user", "u-1");
        assertThat(learning.of(plain, "user", request)).isNotEqualTo(others.of(plain, "user", request));
        own.replace(agreed);
        assertThat(learning.of(plain, "user", request)).isEqualTo(others.of(plain, "user", request));
        assertThat(own).hasToString("KeySecret(hidden)");
        assertThatThrownBy(() -> own.replace(new byte[15])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> KeySecret.random().replace(agreed)).isInstanceOf(IllegalStateException.class);
    }

    private static Attributes request(String name, String value) {
        return Attributes.of(Map.of(name, value));
    }

    private static RuleSet rules(String text) {
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", text)).rules());
    }
}
