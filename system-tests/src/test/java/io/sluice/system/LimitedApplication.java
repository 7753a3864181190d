package io.sluice.system;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A Spring application with the starter, on a real server and a free port. */
final class LimitedApplication implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    private LimitedApplication(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Starts an application. Both kinds are on the class path, so the type must be given. */
    static LimitedApplication start(WebApplicationType type, String redisUri, Path rules) {
        return start(type, "--sluice.redis.uri=" + redisUri, "--sluice.rules-file=" + rules);
    }

    /** Starts an application with properties of its own. */
    static LimitedApplication start(WebApplicationType type, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn"));
        arguments.addAll(List.of(properties));
        return new LimitedApplication(
                new SpringApplicationBuilder(Settings.class).web(type).run(arguments.toArray(String[]::new)));
    }

    int port() {
        return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    @Override
    public void close() {
        context.close();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Shop.class)
    static class Settings {}

    @RestController
    static class Shop {

        @GetMapping("/")
        String serve() {
            return "served";
        }
    }
}
