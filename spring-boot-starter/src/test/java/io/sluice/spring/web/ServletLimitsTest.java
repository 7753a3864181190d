package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs {@link LimitedApplications} on Tomcat. */
final class ServletLimitsTest extends LimitedApplications {

    @Override
    RunningApp.Starting app() {
        return new RunningApp.Starting(false, ServletApp.class)
                .reused(context -> context.getBean(ServletApp.Gate.class).result.set(new CompletableFuture<>()));
    }

    @Override
    void open(RunningApp app, String result) {
        app.bean(ServletApp.Gate.class).result.get().complete(result);
    }

    @Test
    void forwardsAreNotChargedAgain() throws Exception {
        try (RunningApp app = app().rules("rules: [ { id: few, limits: [ { limit: 2, window: 1h } ] } ]")) {
            assertThat(app.get("/forwarding").statusCode()).isEqualTo(200);
            assertThat(app.get("/forwarding").statusCode()).isEqualTo(200);
            assertThat(app.get("/forwarding").statusCode()).isEqualTo(429);
        }
    }

    @Test
    void bodiesAreReadThroughListenersToo() throws Exception {
        try (RunningApp app = app().rules(
                        "rules: [ { id: few, limits: [ { by: json.name, absent: skip, unread: absent, limit: 9, window: 1h } ] } ]")) {
            for (int size : new int[] {1, 30_000, 65_536, 65_537, 70_000, 3_000_000}) {
                assertThat(app.post("/listened", "text/plain", "x".repeat(size)).body())
                        .isEqualTo(Integer.toString(size));
                byte[] bytes = new byte[size];
                assertThat(app.send(app.request("/listened")
                                        .POST(java.net.http.HttpRequest.BodyPublishers.ofInputStream(
                                                () -> new java.io.ByteArrayInputStream(bytes))))
                                .body())
                        .isEqualTo(Integer.toString(size));
            }
        }
    }

    @Tag("boot-3-long")
    @Test
    void boundsTheNumberOfWaitingRequests() throws Exception {
        ManualClock clock = QuietClock.at(1_000_000_000L);
        try (RunningApp app = app().at(clock)
                .with("sluice.web.most-waiting=1")
                .rules(rules("{ id: shaped, limits: [ { algorithm: leaky_bucket, rate: 1/s, capacity: 5 } ] }"))) {
            assertThat(app.get("/later").statusCode()).isEqualTo(200);
            List<CompletableFuture<HttpResponse<String>>> both = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                both.add(app.client().sendAsync(app.request("/later").build(), HttpResponse.BodyHandlers.ofString()));
            }
            HttpResponse<?> first = (HttpResponse<?>)
                    CompletableFuture.anyOf(both.get(0), both.get(1)).get(60, TimeUnit.SECONDS);
            assertThat(first.statusCode()).isEqualTo(503);
            assertThat(first.headers().firstValue("Retry-After")).hasValue("1");
            CompletableFuture<HttpResponse<String>> other = both.get(both.get(0).isDone() ? 1 : 0);
            assertThat(other).isNotDone();
            clock.advance(Duration.ofSeconds(3));
            assertThat(other.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        }
    }

    @Tag("boot-3-long")
    @Test
    void aRequestThatMayNotWaitLeavesItsSlotToOthers() throws Exception {
        ManualClock clock = QuietClock.at(1_000_000_000L);
        try (RunningApp app = app().at(clock)
                .with("sluice.web.most-waiting=1")
                .rules(rules("{ id: shaped, limits: [ { algorithm: leaky_bucket, rate: 1/s, capacity: 5 } ] }"))) {
            assertThat(app.get("/later").statusCode()).isEqualTo(200);
            List<CompletableFuture<HttpResponse<String>>> both = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                both.add(app.client().sendAsync(app.request("/later").build(), HttpResponse.BodyHandlers.ofString()));
            }
            CompletableFuture.anyOf(both.get(0), both.get(1)).get(60, TimeUnit.SECONDS);
            for (int i = 0; i < 10; i++) {
                assertThat(app.get("/later").statusCode()).isEqualTo(503);
            }
            clock.advance(Duration.ofSeconds(3));
            for (CompletableFuture<HttpResponse<String>> each : both) {
                each.get(60, TimeUnit.SECONDS);
            }
            assertThat(app.get("/later").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void refusalsReplaceAResponseBegunByAWriter() throws Exception {
        try (RunningApp app =
                app().rules(rules("{ id: thrown, service: thrown, limits: [ { limit: 0, window: 1h } ] }"))) {
            HttpResponse<String> refused = app.get("/written");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.body()).startsWith("{").endsWith("}").contains("\"rule\":\"thrown\"");
        }
    }
}
