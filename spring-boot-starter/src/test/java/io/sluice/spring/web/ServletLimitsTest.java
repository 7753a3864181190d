package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** On Tomcat. */
final class ServletLimitsTest extends LimitedApplications {

    @Override
    RunningApp.Starting app() {
        return new RunningApp.Starting(false, ServletApp.class);
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
                        "rules: [ { id: few, limits: [ { by: json.name, absent: skip, limit: 9, window: 1h } ] } ]")) {
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
}
