package io.sluice.rules.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.rules.model.Condition;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostTextTest {

    @ParameterizedTest
    @CsvSource({
        "shop.example, shop.example",
        "shop.example:81, shop.example",
        "shop.example:, shop.example",
        "Shop.EXAMPLE.:81, shop.example",
        "shop.example., shop.example",
        "127.0.0.1:80, 127.0.0.1",
        "[::1]:80, [::1]",
        "[0:0::1], [::1]",
        "[::ffff:127.0.0.1]:80, 127.0.0.1",
        "::1, ::1",
        "a:b, a:b",
        "[, [",
        "., .",
        "'', ''",
    })
    void aHostHasOneTextWhateverPortIsNamed(String sent, String expected) {
        assertThat(Attributes.of(Map.of("header.Host", sent)).get("header.host"))
                .isEqualTo(expected);
        assertThat(HostText.normal(expected)).isEqualTo(expected);
    }

    @Test
    void onlyTheHostIsChanged() {
        assertThat(Attributes.of(Map.of("header.x", "A:81", "host", "A:81")).get("header.x"))
                .isEqualTo("A:81");
    }

    @Test
    void conditionsCompareHostsInTheSameForm() {
        for (String sent : List.of("shop.example", "SHOP.example:81", "shop.example.")) {
            String host = Attributes.of(Map.of("header.host", sent)).get("header.host");
            for (String condition : List.of("shop.example", "Shop.Example.", "*.EXAMPLE")) {
                assertThat(Condition.parse("header.Host", List.of(condition)).matches(host))
                        .isTrue();
            }
        }
        assertThatThrownBy(() -> Condition.parse("header.host", List.of("shop.example", "Shop.example:81")))
                .hasMessage(
                        "match.header.host: Shop.example:81 (expected: a host without a port, such as shop.example or [::1])");
        for (String never : List.of("shop.example:*", "::1", "[::1]:80", "*:81")) {
            assertThatThrownBy(() -> Condition.parse("header.host", List.of(never)))
                    .hasMessageStartingWith("match.header.host: " + never);
        }
        assertThat(Condition.parse("header.host", List.of("[0::1]")).matches("[::1]"))
                .isTrue();
        assertThat(Condition.parse("header.x", List.of("A:81")).matches("A:81")).isTrue();
    }
}
