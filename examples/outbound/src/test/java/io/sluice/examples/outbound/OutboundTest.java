package io.sluice.examples.outbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spring.RateLimitExceededException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.ResourceAccessException;

@Timeout(300)
class OutboundTest {

    private static final int ALLOWED = 5;

    /** Two more calls than are allowed at once. */
    private static final int CALLS = ALLOWED + 2;

    private ThirdParty party;

    @BeforeEach
    void start() throws IOException {
        party = ThirdParty.start(ALLOWED);
    }

    @AfterEach
    void stop() {
        party.close();
    }

    @Test
    void callsWaitAndTheThirdPartyRefusesNone() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(CALLS);
        // A wide margin, because the build machine may be busy.
        try (ConfigurableApplicationContext app =
                application("--sluice.outbound.forecasts.margin=5s", "--sluice.outbound.forecasts.max-wait=5m")) {
            Forecasts forecasts = app.getBean(Forecasts.class);
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                answers.add(callers.submit(() -> forecasts.of("here")));
            }
            for (Future<String> answer : answers) {
                assertThat(answer.get()).isEqualTo("sunny");
            }
        } finally {
            callers.shutdownNow();
        }
        assertThat(party.served()).isEqualTo(CALLS);
        assertThat(party.refused()).isZero();
    }

    @Test
    void aCallThatWouldWaitTooLongIsRefusedHereAndSaysWhenToTryAgain() {
        try (ConfigurableApplicationContext app =
                application("--sluice.outbound.forecasts.at-most=2/h", "--sluice.outbound.forecasts.max-wait=50ms")) {
            Forecasts forecasts = app.getBean(Forecasts.class);
            forecasts.of("here");
            forecasts.of("there");

            assertThatThrownBy(() -> forecasts.of("anywhere"))
                    .isInstanceOfSatisfying(RateLimitExceededException.class, refusal -> {
                        assertThat(refusal.retryAfter().orElseThrow()).isGreaterThan(Duration.ofMinutes(50));
                    });
        }
        assertThat(party.served()).isEqualTo(2);
        assertThat(party.refused()).isZero();
    }

    @Test
    void aThirdPartyThatIsDownIsAnErrorAtOnce() {
        try (ConfigurableApplicationContext app = application()) {
            Forecasts forecasts = app.getBean(Forecasts.class);
            party.close();

            assertThatThrownBy(() -> forecasts.of("here")).isInstanceOf(ResourceAccessException.class);
        }
    }

    private ConfigurableApplicationContext application(String... arguments) {
        SpringApplication application = new SpringApplication(Outbound.class);
        application.setDefaultProperties(Map.of("forecasts.port", party.port()));
        return application.run(arguments);
    }
}
