package io.sluice.spring.boot.web;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Finds the paths of Spring Boot's actuator. They are not limited by default: health checks and scrapes of metrics come often and
 * from one address, and must work while the application refuses callers.
 */
final class ActuatorPaths {

    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.boot.actuate.endpoint.annotation.Endpoint", ActuatorPaths.class.getClassLoader());

    private ActuatorPaths() {}

    /**
     * Returns patterns of all paths of the actuator, as callers send them; empty if there is no actuator, or if it shares the root with the
     * application.
     */
    static List<String> of(Environment environment) {
        if (!PRESENT) {
            return List.of();
        }
        String base = path(environment, "management.endpoints.web.base-path", "/actuator");
        Stream<String> prefixes = hasOwnPort(environment)
                ? Stream.of(path(environment, "management.server.base-path", ""))
                : Stream.of(
                        path(environment, "server.servlet.context-path", "")
                                + path(environment, "spring.mvc.servlet.path", ""),
                        path(environment, "spring.webflux.base-path", ""));
        return prefixes.map(prefix -> prefix + base)
                .filter(path -> !path.isEmpty())
                .distinct()
                .map(path -> path + "/**")
                .toList();
    }

    private static boolean hasOwnPort(Environment environment) {
        String port = environment.getProperty("management.server.port", "");
        String ofApplication = environment.getProperty("server.port", "8080");
        return !port.isEmpty() && (port.equals("0") || !port.equals(ofApplication));
    }

    private static String path(Environment environment, String property, String otherwise) {
        String path = environment.getProperty(property, otherwise).strip();
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }
}
