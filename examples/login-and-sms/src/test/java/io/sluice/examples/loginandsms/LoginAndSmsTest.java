package io.sluice.examples.loginandsms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;

@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            // Logs of the server only; the client of these tests logs what it sends.
            "logging.level.org.springframework.web.servlet=DEBUG",
            "logging.level.io.sluice=DEBUG"
        })
@ExtendWith(OutputCaptureExtension.class)
class LoginAndSmsTest {

    /** Limits in this process use this clock, so a day passes at once. */
    @TestConfiguration
    static class Time {
        @Bean
        ManualClock clock() {
            return ManualClock.at(1_800_000_000_000_000L);
        }
    }

    @Autowired
    private ManualClock clock;

    @LocalServerPort
    private int port;

    private RestTestClient http;

    @BeforeEach
    void forgetEverything() {
        clock.advance(Duration.ofDays(3));
        http = RestTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + port)
                .build();
    }

    @Test
    void letsInCallersWithTheRightPassword() {
        login("alice", "wonderland").expectStatus().isOk();
    }

    @Test
    void refusesTheSixthLoginOfAnAddressWithinAMinute() {
        for (int i = 0; i < 5; i++) {
            login("name" + i, "guess").expectStatus().isUnauthorized();
        }
        login("alice", "wonderland")
                .expectStatus()
                .isEqualTo(429)
                .expectHeader()
                .valueEquals("Retry-After", "60")
                .expectHeader()
                .valueEquals("RateLimit", "\"login.0\";r=0;t=60")
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody()
                .jsonPath("$.rule")
                .isEqualTo("login")
                .jsonPath("$.detail")
                .isEqualTo("Too many attempts. Wait a minute.");

        clock.advance(Duration.ofMinutes(1));
        login("alice", "wonderland").expectStatus().isOk();
    }

    @Test
    void refusesTheFourthLoginOfAnAccountAndLetsOthersIn() {
        for (int i = 0; i < 3; i++) {
            login("alice", "guess" + i).expectStatus().isUnauthorized();
        }
        login("alice", "wonderland").expectStatus().isEqualTo(429);
        login("bob", "builder").expectStatus().isOk();
    }

    @Test
    void refusesCallersThatForgeAnotherAddressEachTime() {
        for (int i = 0; i < 5; i++) {
            loginFrom("203.0.113." + i, "name" + i).expectStatus().isUnauthorized();
        }
        loginFrom("203.0.113.99", "name99").expectStatus().isEqualTo(429);
    }

    @Test
    void answersABrokenBodyWith400() {
        post("/api/login", "{\"username\": \"alice\", ").expectStatus().isBadRequest();
        post("/api/login", "{\"password\": \"x\"}").expectStatus().isBadRequest();
        post("/api/login", "[]").expectStatus().isBadRequest();
    }

    @Test
    void refusesANameThatItCannotCount() {
        String login = "{\"username\": \"alice\", \"password\": \"wonderland\"}";

        post("/api/login", " ".repeat(70_000) + login).expectStatus().isEqualTo(413);
        post("/api/login", "{\"username\": \"bob\", " + login.substring(1)).expectStatus().isBadRequest();
    }

    @Test
    void countsANameInEveryEncoding() {
        String login = "{\"username\": \"alice\", \"password\": \"guess\"}";

        post("/api/login", login).expectStatus().isUnauthorized();
        post("/api/login", login.replace("alice", "\\u0061lice")).expectStatus().isUnauthorized();
        post("/api/login", login.getBytes(StandardCharsets.UTF_16BE)).expectStatus().isUnauthorized();
        post("/api/login", login.getBytes(StandardCharsets.UTF_16LE)).expectStatus().isEqualTo(429);
    }

    @Test
    void sendsACodeOnceAMinuteFiveTimesAnHourTenTimesADay() {
        sms("+8613800138000").expectStatus().isAccepted();
        sms("+8613800138000").expectStatus().isEqualTo(429);
        assertThat(sentWithin(Duration.ofHours(1))).as("in the rest of an hour").isEqualTo(4);
        assertThat(sentWithin(Duration.ofHours(22))).as("in the rest of a day").isEqualTo(5);
    }

    @Test
    void countsANumberHoweverItIsTyped() {
        sms("+8613800138000").expectStatus().isAccepted();
        sms("+86 138-0013-8000").expectStatus().isEqualTo(429);
        sms("+86 138 0013 8001").expectStatus().isAccepted();
        sms("call me").expectStatus().isBadRequest();
        post("/sms/send", "{}").expectStatus().isBadRequest();
    }

    @Test
    void refusesInChineseIfTheCallerAsksForIt() {
        sms("+8613800138000").expectStatus().isAccepted();
        http.post()
                .uri("/sms/send")
                .header("Accept-Language", "zh-CN,zh;q=0.9,en;q=0.8")
                .contentType(MediaType.APPLICATION_JSON)
                .body("{\"phone\": \"+8613800138000\"}")
                .exchange()
                .expectStatus()
                .isEqualTo(429)
                .expectHeader()
                .valueEquals("Content-Language", "zh")
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo("验证码已发送，请稍后再试。");
    }

    @Test
    void neverLogsAPhoneNumber(CapturedOutput log) {
        sms("+8613800138000").expectStatus().isAccepted();
        sms("+8613800138000").expectStatus().isEqualTo(429);
        sms("+8613800138000 or so").expectStatus().isBadRequest();
        // Refusals are summed up in the log some seconds later.
        clock.advance(Duration.ofMinutes(1));

        assertThat(log).contains("code sent to ***00").doesNotContain("13800138000");
    }

    private int sentWithin(Duration span) {
        int sent = 0;
        for (int minutes = 10; minutes < span.toMinutes(); minutes += 10) {
            clock.advance(Duration.ofMinutes(10));
            sent += sms("+8613800138000").returnResult(String.class).getStatus().is2xxSuccessful() ? 1 : 0;
        }
        return sent;
    }

    private ResponseSpec login(String name, String password) {
        return post("/api/login", "{\"username\": \"" + name + "\", \"password\": \"" + password + "\"}");
    }

    private ResponseSpec loginFrom(String address, String name) {
        return http.post()
                .uri("/api/login")
                .header("X-Forwarded-For", address)
                .contentType(MediaType.APPLICATION_JSON)
                .body("{\"username\": \"" + name + "\", \"password\": \"guess\"}")
                .exchange();
    }

    private ResponseSpec sms(String phone) {
        return post("/sms/send", "{\"phone\": \"" + phone + "\"}");
    }

    private ResponseSpec post(String path, Object body) {
        return http.post()
                .uri(path)
                .contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .exchange();
    }
}
