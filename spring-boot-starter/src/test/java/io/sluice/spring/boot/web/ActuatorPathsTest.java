package io.sluice.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

class ActuatorPathsTest {

    private final MockEnvironment environment = new MockEnvironment();

    @Test
    void followTheBasePathOfTheEndpoints() {
        assertThat(ActuatorPaths.of(environment)).containsExactly("/actuator/**");
        environment.setProperty("management.endpoints.web.base-path", "/manage/");
        assertThat(ActuatorPaths.of(environment)).containsExactly("/manage/**");
    }

    @Test
    void followThePathsOfTheApplication() {
        environment
                .withProperty("server.servlet.context-path", "/shop")
                .withProperty("spring.mvc.servlet.path", "/mvc")
                .withProperty("spring.webflux.base-path", "/flux");
        assertThat(ActuatorPaths.of(environment)).containsExactly("/shop/mvc/actuator/**", "/flux/actuator/**");
    }

    @Test
    void followThePathOfAManagementPort() {
        environment
                .withProperty("server.servlet.context-path", "/shop")
                .withProperty("management.server.port", "9000")
                .withProperty("management.server.base-path", "/admin");
        assertThat(ActuatorPaths.of(environment)).containsExactly("/admin/actuator/**");
        environment.setProperty("server.port", "9000");
        assertThat(ActuatorPaths.of(environment)).containsExactly("/shop/actuator/**", "/actuator/**");
    }

    @Test
    void anActuatorAtTheRootExcludesNothing() {
        environment.setProperty("management.endpoints.web.base-path", "/");
        assertThat(ActuatorPaths.of(environment)).isEmpty();
    }
}
