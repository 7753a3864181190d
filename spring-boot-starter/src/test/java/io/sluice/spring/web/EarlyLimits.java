package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;

/** Tests of the rules that act before Spring Security authenticates anybody, for every server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EarlyLimits {

    static final String USER = "ada";
    static final String PASSWORD = "right";

    static final String RIGHT = basic(PASSWORD);
    private static final String WRONG = basic("guess");
    static final String MALLORY = "192.0.2.9";
    private static final String ALICE = "192.0.2.1";

    /** Takes a millisecond. What Spring Security takes by itself needs a tenth of a second of CPU time for each request. */
    static final PasswordEncoder ENCODER = new BCryptPasswordEncoder(4);

    private static final String RULES = """
            rules:
              - id: guessing
                for: early
                resource: /guessing/**
                match: { answer.status: [401, 403, 404] }
                limits: [{ by: [ip, path], limit: 3, window: 1h }]
              - id: log-ins
                for: early
                resource: /log-ins/**
                match: { answer.status: 401 }
                limits: [{ by: ip, limit: 3, window: 1h }]
              - id: failures
                for: early
                resource: /failures/**
                match: { answer.status: 500 }
                limits: [{ by: ip, limit: 3, window: 1h }]
              - { id: flood, for: early, resource: /flood/**, limits: [{ by: ip, limit: 2, window: 1h }] }
              - { id: closed, for: early, resource: /closed/**, limits: [{ limit: 0, window: 1h }] }
              - { id: both, for: early, resource: /both/**, limits: [{ by: ip, limit: 4, window: 1h }] }
              - { id: users, resource: /both/open, limits: [{ by: user, limit: 2, window: 1h }] }
              - { id: banned, match: { ip: 203.0.113.0/24 }, action: deny }
              - { id: office, match: { ip: 198.51.100.0/24 }, action: exempt }
            """;

    private RunningApp app;

    /** An application that answers only {@link #USER}. */
    abstract RunningApp.Starting starting();

    @BeforeAll
    void start() {
        app = starting().with("test.trusted=127.0.0.0/8").rules(RULES);
    }

    @AfterAll
    void stop() {
        app.close();
    }

    final RunningApp running() {
        return app;
    }

    private static String basic(String password) {
        return "Basic " + Base64.getEncoder().encodeToString((USER + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    private HttpResponse<String> get(String path, String address, String authorization) throws Exception {
        HttpRequest.Builder request = app.request(path).header("X-Forwarded-For", address);
        return app.send(authorization.isEmpty() ? request : request.header("Authorization", authorization));
    }

    private int status(String path, String address, String authorization) throws Exception {
        return get(path, address, authorization).statusCode();
    }

    @Test
    void failedLogInsAreLimitedByAddress() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(status("/guessing/open", MALLORY, WRONG)).isEqualTo(401);
        }
        HttpResponse<String> refusal = get("/guessing/open", MALLORY, WRONG);

        assertThat(refusal.statusCode()).isEqualTo(429);
        assertThat(refusal.headers().firstValue("Retry-After")).isPresent();
        assertThat(refusal.body()).contains("\"rule\":\"guessing\"");
        assertThat(status("/guessing/open", MALLORY, RIGHT)).isEqualTo(429);
        assertThat(status("/guessing/open", ALICE, RIGHT)).isEqualTo(200);
        assertThat(status("/guessing/open", ALICE, "")).isEqualTo(401);
    }

    @Test
    void onlyTheNamedStatusesAreCounted() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(status("/log-ins/open", MALLORY, RIGHT)).isEqualTo(200);
            assertThat(status("/log-ins/missing", MALLORY, RIGHT)).isEqualTo(404);
            assertThat(status("/log-ins/written", MALLORY, RIGHT)).isEqualTo(404);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(status("/log-ins/open", MALLORY, WRONG)).isEqualTo(401);
        }
        assertThat(status("/log-ins/open", MALLORY, RIGHT)).isEqualTo(429);
    }

    @Test
    void responsesOfTheApplicationAreCountedBeforeTheyAreSent() throws Exception {
        for (String how : new String[] {"missing", "written", "streamed", "later"}) {
            for (int i = 0; i < 5; i++) {
                assertThat(status("/guessing/" + how, MALLORY, RIGHT)).as(how).isEqualTo(i < 3 ? 404 : 429);
            }
        }
    }

    @Test
    void failuresOfTheApplicationAreCounted() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(status("/failures/broken", MALLORY, RIGHT)).isEqualTo(i < 3 ? 500 : 429);
        }
    }

    @Test
    void requestsWithoutCredentialsAreLimited() throws Exception {
        assertThat(status("/flood/open", MALLORY, "")).isEqualTo(401);
        assertThat(status("/flood/open", MALLORY, WRONG)).isEqualTo(401);
        assertThat(status("/flood/open", MALLORY, "")).isEqualTo(429);
        assertThat(status("/flood/open", ALICE, "")).isEqualTo(401);
    }

    @Test
    void aDeniedAddressIsRefusedBeforeItIsAuthenticated() throws Exception {
        HttpResponse<String> refusal = get("/open", "203.0.113.9", "");
        assertThat(refusal.statusCode()).isEqualTo(403);
        assertThat(refusal.body()).contains("\"rule\":\"banned\"");
        assertThat(status("/open", "203.0.113.9", RIGHT)).isEqualTo(403);
        assertThat(status("/open", ALICE, "")).isEqualTo(401);
        assertThat(status("/open", ALICE, RIGHT)).isEqualTo(200);
    }

    @Test
    void anExemptAddressPassesEarlyLimits() throws Exception {
        assertThat(status("/closed/open", ALICE, RIGHT)).isEqualTo(429);
        assertThat(status("/closed/open", "198.51.100.1", "")).isEqualTo(401);
        assertThat(status("/closed/open", "198.51.100.1", RIGHT)).isEqualTo(200);
    }

    @Test
    void earlyLimitsAreChargedOnceAndLaterOnesStillApply() throws Exception {
        assertThat(get("/both/other", MALLORY, RIGHT).headers().firstValue("RateLimit"))
                .hasValueSatisfying(value -> assertThat(value).startsWith("\"both.0\";r=3;"));
        assertThat(get("/both/open", MALLORY, RIGHT).headers().firstValue("RateLimit"))
                .hasValueSatisfying(value -> assertThat(value).startsWith("\"users.0\";r=1;"));
        assertThat(status("/both/open", MALLORY, RIGHT)).isEqualTo(200);
        assertThat(get("/both/open", MALLORY, RIGHT).body()).contains("\"rule\":\"users\"");
        assertThat(get("/both/open", MALLORY, RIGHT).body()).contains("\"rule\":\"both\"");
    }
}
