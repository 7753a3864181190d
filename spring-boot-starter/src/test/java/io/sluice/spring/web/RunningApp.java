package io.sluice.spring.web;

import io.sluice.core.time.Clock;
import io.sluice.spring.internal.RulesOfTest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * An application on a real server and a free port. To start one costs more than most tests, so a test may take an application that an
 * earlier test has left.
 */
final class RunningApp implements AutoCloseable {

    private static final Clock SYSTEM = Clock.system();

    /** What tests have left, by what it was started with. */
    private static final Map<Object, Queue<ConfigurableApplicationContext>> LEFT = new ConcurrentHashMap<>();

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ConfigurableApplicationContext context;
    private final @Nullable Queue<ConfigurableApplicationContext> left;

    /** @param left where the next test finds it; null to stop it */
    private RunningApp(ConfigurableApplicationContext context, @Nullable Queue<ConfigurableApplicationContext> left) {
        this.context = context;
        this.left = left;
    }

    /** How to start one. */
    static final class Starting {

        private final boolean reactive;
        private final List<Class<?>> sources = new ArrayList<>();
        private final List<String> properties = new ArrayList<>(List.of(
                "server.port=0",
                "server.address=127.0.0.1",
                "spring.main.banner-mode=off",
                "logging.level.root=warn",
                // Levels are those of the process, and other tests read what Sluice logs.
                "logging.level.io.sluice=info",
                "spring.application.name=shop",
                "spring.jmx.enabled=false",
                "spring.main.log-startup-info=false"));
        private Clock clock = SYSTEM;
        private @Nullable Consumer<ConfigurableApplicationContext> renewal;

        Starting(boolean reactive, Class<?>... sources) {
            this.reactive = reactive;
            this.sources.add(SluiceBeans.class);
            this.sources.addAll(List.of(sources));
        }

        Starting with(Class<?> source) {
            sources.add(source);
            return this;
        }

        Starting with(String... more) {
            properties.addAll(List.of(more));
            return this;
        }

        Starting at(Clock other) {
            clock = other;
            return this;
        }

        /**
         * Another test may have used the application, and another may use it later, with the same sources and properties. It has no
         * state but the counts and what {@code renewal} resets. One with a clock of its own is never shared.
         */
        Starting reused(Consumer<ConfigurableApplicationContext> renewal) {
            this.renewal = renewal;
            return this;
        }

        RunningApp rules(String rules) {
            if (renewal == null || clock != SYSTEM) {
                return new RunningApp(start(rules), null);
            }
            Queue<ConfigurableApplicationContext> left = LEFT.computeIfAbsent(
                    List.of(reactive, List.copyOf(sources), List.copyOf(properties)),
                    each -> new ConcurrentLinkedQueue<>());
            ConfigurableApplicationContext context = left.poll();
            if (context == null) {
                return new RunningApp(start(rules), left);
            }
            renewal.accept(context);
            context.getBean(RulesOfTest.class).replace(rules);
            return new RunningApp(context, left);
        }

        private ConfigurableApplicationContext start(String rules) {
            return new SpringApplicationBuilder(sources.toArray(Class[]::new))
                    .web(reactive ? WebApplicationType.REACTIVE : WebApplicationType.SERVLET)
                    .initializers(any -> {
                        GenericApplicationContext early = (GenericApplicationContext) any;
                        early.registerBean("clock", Clock.class, () -> clock);
                        early.registerBean(RulesOfTest.class, () -> new RulesOfTest(rules));
                    })
                    .run(properties.stream().map(each -> "--" + each).toArray(String[]::new));
        }
    }

    int port() {
        return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    HttpClient client() {
        return client;
    }

    HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + target))
                .timeout(Duration.ofMinutes(1));
    }

    HttpResponse<String> get(String target, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(target);
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    HttpResponse<String> post(String target, String type, String body) throws IOException, InterruptedException {
        return send(request(target).header("Content-Type", type).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        if (left == null) {
            context.close();
        } else {
            left.add(context);
        }
    }
}
