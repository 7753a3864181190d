package io.sluice.spring.web;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Runs {@link LimitedApplications} on Reactor Netty. */
final class ReactiveLimitsTest extends LimitedApplications {

    @Override
    RunningApp.Starting app() {
        return new RunningApp.Starting(true, ReactiveApp.class)
                .reused(context ->
                        context.getBean(ReactiveApp.Gate.class).result.set(new CompletableFuture<>()));
    }

    @Override
    void open(RunningApp app, String result) {
        app.bean(ReactiveApp.Gate.class).result.get().complete(result);
    }

    @Test
    void callersThatDisconnectReleaseTheirPermitsOnReactorNetty() throws Exception {
        try (RunningApp app = app().rules(rules(
                "{ id: held, resource: /held, limits: [ { algorithm: concurrency, limit: 1, ttl: 1h } ] }"))) {
            try (Socket caller = new Socket(InetAddress.getLoopbackAddress(), app.port())) {
                caller.getOutputStream()
                        .write("GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> refusedWhileLooking(app));
            }
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !refusedWhileLooking(app));
        }
    }
}
