package io.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        "/**, *, true"
    })
    void matches(String pattern, String path, boolean expected) {
        assertThat(PathPattern.of(pattern).matches(path)).isEqualTo(expected);
    }
}
