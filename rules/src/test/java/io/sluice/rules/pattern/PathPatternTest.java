package io.sluice.rules.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathPatternTest {

    @ParameterizedTest
    @CsvSource({
        "/api/login, /api/login, true",
        "/api/login, /api/login/, false",
        "/api/login, /api/Login, false",
        "/api/login, /api/logins, false",
        "/api/login, /api, false",
        "/api/login, api/login, false",
        "/api/login, '', false",
        "/, /, true",
        "/, '', false",
        "/, /a, false",
        "/users/{id}, /users/7, true",
        "/users/{id}, /users/, false",
        "/users/{id}, /users, false",
        "/users/{id}, /users/7/orders, false",
        "/users/{id}/orders, /users/7/orders, true",
        "/users/{id}/orders, /users//orders, false",
        "/api/orders/**, /api/orders/1/2/3, true",
        "/api/orders/**, /api/orders/, true",
        "/api/orders/**, /api/orders, true",
        "/api/orders/**, /api/ordersX, false",
        "/api/orders/**, /api, false",
        "/**, /, true",
        "/**, /a/b, true",
        "/**, *, true",
        "/caf\u00e9/%20, /caf\u00e9/%20, true",
        "/a%2Fb, /a%2Fb, true"
    })
    void matches(String pattern, String path, boolean expected) {
        assertThat(PathPattern.of(pattern).matches(path)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/a/, /a",
        "/caf%C3%A9, /caf\u00e9",
        "/{id}/%61/**, /{id}/a/**",
        "/a;b=c, /a",
        "/%7Bid%7D, /{id}",
    })
    void refusesWhatNoNormalisedPathIsAndSaysWhatWouldDo(String pattern, String expected) {
        assertThatThrownBy(() -> PathPattern.of(pattern))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("resource: " + pattern + " (expected: " + expected + ")");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a//b", "/a/../b", "/a/%2561", "/a\\b", "/a/%zz"})
    void refusesWhatHasNoNormalForm(String pattern) {
        assertThatThrownBy(() -> PathPattern.of(pattern))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("resource: ")
                .hasMessageContaining("(expected: ");
    }
}
