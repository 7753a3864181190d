package io.sluice.imports;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.context.WebServerApplicationContext;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web application on a free port, behind whatever limits its properties configure. */
final class LimitedApplication implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final int port;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private LimitedApplication(Class<?> source, WebApplicationType type, Path config, String... properties) {
        List<String> arguments = new ArrayList<>();
        arguments.add("--spring.config.location=" + config.toUri());
        arguments.add("--spring.main.banner-mode=off");
        arguments.add("--server.port=0");
        arguments.add("--server.address=127.0.0.1");
        // Keys and rules by address need several addresses.
        arguments.add("--server.forward-headers-strategy=native");
        arguments.add("--logging.level.root=warn");
        for (String property : properties) {
            arguments.add("--" + property);
        }
        SpringApplication application = new SpringApplication(source);
        application.setWebApplicationType(type);
        this.context = application.run(arguments.toArray(String[]::new));
        this.port = ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    /**
     * Starts an application on Tomcat that answers every request itself.
     *
     * @param config its {@code application.yml}
     * @param properties further properties, such as {@code sluice.enabled=false}
     */
    static LimitedApplication servlet(Path config, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("spring.cloud.gateway.server.webflux.enabled=false");
        return new LimitedApplication(Endpoints.class, WebApplicationType.SERVLET, config, all.toArray(String[]::new));
    }

    /** Starts a gateway on Reactor Netty. */
    static LimitedApplication gateway(Class<?> source, Path config, String... properties) {
        return new LimitedApplication(source, WebApplicationType.REACTIVE, config, properties);
    }

    /** Returns a configuration of these tests. */
    static String configuration(String name) throws IOException {
        try (InputStream in = LimitedApplication.class.getClassLoader().getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    HttpResponse<String> send(Call call) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + call.target()))
                .method(call.method(), HttpRequest.BodyPublishers.noBody());
        call.headers().forEach(request::header);
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(call.toString(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration")
    @EnableCaching
    @RestController
    static class Endpoints {

        @RequestMapping("/**")
        String answer() {
            return "served";
        }
    }
}
