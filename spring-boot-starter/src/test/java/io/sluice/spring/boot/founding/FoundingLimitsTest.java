package io.sluice.spring.boot.founding;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.RateLimited;
import io.sluice.spring.boot.SluiceAutoConfiguration;
import io.sluice.spring.boot.client.ClientLimitAutoConfiguration;
import io.sluice.spring.boot.method.MethodLimitAutoConfiguration;
import io.sluice.spring.client.CallLimits;
import io.sluice.spring.client.LimitedCalls;
import io.sluice.spring.founding.LimitPoint;
import io.sluice.spring.founding.LimitType;
import io.sluice.spring.internal.Party;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.web.client.RestClient;

/** The numbers of the founding documents: 60000 is one minute, and a name that is not configured allows 100 in a minute. */
class FoundingLimitsTest {

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SluiceAutoConfiguration.class,
                    MethodLimitAutoConfiguration.class,
                    ClientLimitAutoConfiguration.class))
            .withBean(Clock.class, () -> clock)
            .withBean(Api.class)
            .withPropertyValues("rate.limit.configs.login.limit=5", "rate.limit.configs.login.window=60000");

    static class Api {

        @RateLimited(rule = "login", key = "#user")
        public void login(String user) {}

        @RateLimited(rule = "resource_api", key = "#user")
        public void resource(String user) {}

        @RateLimited("other_api")
        public void other(String user) {}

        @LimitPoint(name = "code", limitType = LimitType.CUSTOMER)
        public void code(String user) {}
    }

    @Test
    void sixtyThousandIsOneMinute() {
        with(api -> {
            assertThat(admitted(api::login, "ada")).isEqualTo(5);
            clock.advance(Duration.ofMillis(59_999));
            assertThat(admitted(api::login, "ada")).isZero();
            clock.advance(Duration.ofMinutes(1));
            assertThat(admitted(api::login, "ada")).isEqualTo(5);
        });
    }

    @Test
    void aNameThatIsNotConfiguredAllowsAHundredInAMinute() {
        with(api -> {
            assertThat(admitted(api::resource, "ada")).isEqualTo(100);
            assertThat(admitted(api::resource, "bob")).as("another key").isEqualTo(100);
            assertThat(admitted(api::other, "ada")).as("another name").isEqualTo(100);
            clock.advance(Duration.ofMillis(59_999));
            assertThat(admitted(api::resource, "ada")).isZero();
            clock.advance(Duration.ofMinutes(1));
            assertThat(admitted(api::resource, "ada")).isEqualTo(100);
        });
    }

    @Test
    void theNumbersOfALimitPointComeBeforeTheDefault() {
        with(api -> assertThat(admitted(api::code, "ada")).isEqualTo(10));
    }

    @Test
    void clientsThatNameNoConfiguredLimitHaveTheDefaultToo() {
        try (Party party = new Party()) {
            runner.run(context -> {
                RestClient client = RestClient.builder()
                        .requestInterceptor(
                                context.getBean(CallLimits.class).interceptor(LimitedCalls.of("third-party")))
                        .build();
                assertThat(admitted(
                                key -> client.get().uri(party.uri()).retrieve().toBodilessEntity(), ""))
                        .isEqualTo(100);
            });
        }
    }

    @Test
    void withoutSuchPropertiesThereIsNoDefault() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SluiceAutoConfiguration.class, MethodLimitAutoConfiguration.class))
                .withBean(Api.class)
                .withPropertyValues("sluice.rules[0].id=login", "sluice.rules[0].limits[0].rate=5/s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("rule: resource_api (expected: login)"));
    }

    private void with(Consumer<Api> use) {
        runner.run(context -> use.accept(context.getBean(Api.class)));
    }

    private static int admitted(Consumer<String> method, String key) {
        int admitted = 0;
        for (int i = 0; i < 150; i++) {
            try {
                method.accept(key);
                admitted++;
            } catch (RateLimitExceededException e) {
                assertThat(e.ruling().allowed()).isFalse();
            }
        }
        return admitted;
    }
}
