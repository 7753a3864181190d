package io.sluice.rules.caller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyMaskTest {

    private static final KeySettings SETTINGS =
            new KeySettings(KeySecret.of("0123456789abcdef".getBytes(StandardCharsets.US_ASCII)), 64);

    private final KeyMask mask = new KeyMask(SETTINGS, Set.of());

    private static String key(Map<String, String> request, String... by) {
        CallerKey key = SETTINGS.keys()
                .key(
                        List.of(by).stream().map(By::attribute).toList(),
                        AbsentPolicy.IP,
                        Privacy.PLAIN,
                        Attributes.of(request));
        return ((CallerKey.Of) key).text();
    }

    private static SubjectKeys subject(String attribute, String value) {
        return SubjectKeys.of(attribute, value, Map.of(), RuleSet.none(), SETTINGS);
    }

    @Test
    void hidesEveryValueAndKeepsTheNames() {
        String masked = mask.key(key(Map.of("tenant", "acme", "user", "u-17"), "tenant", "user"));
        assertThat(masked).matches("tenant=#[A-Za-z0-9_-]{43}&user=#[A-Za-z0-9_-]{43}");
        assertThat(mask.key(key(Map.of("ip", "192.0.2.7"), "user"))).matches("user~ip=#[A-Za-z0-9_-]{43}");
        assertThat(mask.key("user~")).isEqualTo("user~");
        assertThat(mask.key("")).isEmpty();
        assertThat(mask.key("free text")).startsWith("#").doesNotContain("free");
        assertThat(mask.count("rate_limit:orders:user=u-17")).startsWith("#").doesNotContain("u-17");
    }

    @Test
    void hidesTheHashTagAndKeysThatAreHashesOfPlainValues() {
        assertThat(mask.key("{acme}tenant=acme")).doesNotContain("acme");
        String tooLong = key(Map.of("user", "u".repeat(500)), "user");
        assertThat(tooLong).startsWith("!l");
        assertThat(mask.key(tooLong)).startsWith("!l#").doesNotContain(tooLong.substring(2));
        assertThat(mask.key("!habc")).isEqualTo("!habc");
    }

    @Test
    void hashesAValueLikeTheMarkOfItsAttribute() {
        for (String value : List.of("u-17", "a&b=c~d!e", "\u00fc\u4e2d", "{x}#%", "\uD800")) {
            CallerMark mark = new CallerMarks(SETTINGS)
                    .of(RuleSet.none(), "user", Attributes.of(Map.of("user", value)))
                    .orElseThrow();
            assertThat(mask.key(key(Map.of("user", value), "user"))).isEqualTo("user=#" + mark.hash());
        }
    }

    @Test
    void letsASubjectBeFoundByItsHash() {
        String both = mask.key(key(Map.of("tenant", "acme", "user", "u-17"), "tenant", "user"));
        String address = mask.key(key(Map.of("ip", "2001:db8::1"), "user"));
        assertThat(subject("user", "u-17").matches(both)).isTrue();
        assertThat(subject("tenant", "acme").matches(both)).isTrue();
        assertThat(subject("user", "u-18").matches(both)).isFalse();
        assertThat(subject("ip", "2001:db8::2").matches(address))
                .as("the same network")
                .isTrue();
        assertThat(subject("ip", "2001:db9::1").matches(address)).isFalse();
    }

    @Test
    void keepsPlainAttributes() {
        KeyMask some = new KeyMask(SETTINGS, Set.of("tenant"));
        assertThat(some.key("tenant=acme&user=u-17")).startsWith("tenant=acme&user=#");
        assertThat(some.keeps("tenant")).isTrue();
        assertThat(some.keeps("user")).isFalse();
    }

    @Test
    void noticesAnotherSecret() {
        KeySecret secret = KeySecret.replaceable("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        KeyMask changing = new KeyMask(new KeySettings(secret, 64), Set.of());
        String before = changing.key("user=u-17");
        assertThat(changing.refresh()).isFalse();
        secret.replace("fedcba9876543210".getBytes(StandardCharsets.US_ASCII));
        assertThat(changing.refresh()).isTrue();
        assertThat(changing.refresh()).isFalse();
        assertThat(changing.key("user=u-17")).isNotEqualTo(before);
    }
}
