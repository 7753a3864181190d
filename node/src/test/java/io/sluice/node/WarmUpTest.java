package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.gateway.Configs;
import io.sluice.node.gateway.OpenGateway;
import io.sluice.node.gateway.TestUpstream;
import io.sluice.node.transport.EventLoops;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(300)
class WarmUpTest {

    private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        root.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        root.detachAppender(log);
    }

    @Test
    void aFailureOfTheWarmUpIsSilentAndDoesNotStopTheStart() {
        WarmUp warmUp = new WarmUp(Clock.system());
        warmUp.begin("a door", more -> {
            throw new IOException("closed");
        });
        warmUp.await();

        assertThat(log.list).noneMatch(WarmUpTest::isOurs);
    }

    @Test
    void aFailureOfTheGatewayOfTheWarmUpIsSilent() throws Exception {
        Clock clock = Clock.system();
        try (EventLoops loops = new EventLoops();
                TestUpstream upstream = new TestUpstream("here");
                Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of())) {
            Evaluator failing = new Evaluator(
                    () -> {
                        throw new IllegalStateException("closed meanwhile");
                    },
                    limiter,
                    null,
                    new KeySettings(KeySecret.random(), 64, Optional.empty()),
                    clock,
                    (ruling, nanos) -> {});
            OpenGateway.Resources resources =
                    new OpenGateway.Resources(loops, failing, false, (route, status, nanos) -> {}, clock);
            try (OpenGateway practice = OpenGateway.openBare(
                    NodeConfig.LOOPBACK,
                    Configs.good("routes: [{ upstreams: '" + upstream.origin() + "' }]"),
                    resources)) {
                HttpResponse<String> answer = HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + practice.port() + "/a"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).isEqualTo(500);
            }
            assertThat(log.list).noneMatch(WarmUpTest::isOurs);
        }
    }

    /** On a busy machine, libraries warn of slow threads. */
    private static boolean isOurs(ILoggingEvent event) {
        return event.getLevel().isGreaterOrEqual(Level.INFO)
                && event.getLoggerName().startsWith("io.sluice");
    }
}
