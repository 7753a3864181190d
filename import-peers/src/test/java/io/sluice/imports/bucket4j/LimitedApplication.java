package io.sluice.imports.bucket4j;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web application on a free port that answers every request, behind whatever limits its properties configure. */
final class LimitedApplication implements AutoCloseable {

    private final ServletWebServerApplicationContext context;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /**
     * Starts the application.
     *
     * @param config its {@code application.yml}
     * @param properties further properties, such as {@code sluice.enabled=false}
     */
    LimitedApplication(Path config, String... properties) {
        List<String> arguments = new ArrayList<>();
        arguments.add("--spring.config.location=" + config.toUri());
        arguments.add("--server.port=0");
        arguments.add("--server.address=127.0.0.1");
        for (String property : properties) {
            arguments.add("--" + property);
        }
        this.context = (ServletWebServerApplicationContext)
                new SpringApplication(Endpoints.class).run(arguments.toArray(String[]::new));
    }

    HttpResponse<String> send(Call call) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + context.getWebServer().getPort() + call.target()))
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
    @EnableAutoConfiguration
    @EnableCaching
    @RestController
    static class Endpoints {

        @RequestMapping("/**")
        String answer() {
            return "served";
        }
    }
}
