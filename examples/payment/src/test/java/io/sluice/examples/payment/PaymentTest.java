package io.sluice.examples.payment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class PaymentTest {

    /** Limits in this process use this clock, so a minute passes at once. */
    @TestConfiguration
    static class Time {
        @Bean
        ManualClock clock() {
            return ManualClock.at(1_800_000_000_000_000L);
        }
    }

    @Autowired
    private ManualClock clock;

    @Autowired
    private Ledger ledger;

    @LocalServerPort
    private int port;

    private RestTestClient http;

    @BeforeEach
    void forgetEverything() {
        clock.advance(Duration.ofDays(1));
        http = RestTestClient.bindToServer().baseUrl("http://127.0.0.1:" + port).build();
    }

    @Test
    void noMinuteHasASixthPaymentOfAnAccountWheneverItBegins() {
        clock.advance(Duration.ofSeconds(58));
        for (int i = 0; i < 5; i++) {
            pay("A-17").expectStatus().isCreated();
        }
        // A counter that starts anew each minute would let five more pass here.
        clock.advance(Duration.ofSeconds(4));
        pay("A-17").expectStatus().isEqualTo(429).expectHeader().valueEquals("Retry-After", "56");
        pay("A-18").expectStatus().isCreated();

        clock.advance(Duration.ofSeconds(56));
        pay("A-17").expectStatus().isCreated();
    }

    @Test
    void theBankGetsFiftyPaymentsInASecondFromAllAccounts() {
        for (int i = 0; i < 50; i++) {
            pay("B-" + i).expectStatus().isCreated();
        }
        pay("B-50")
                .expectStatus()
                .isEqualTo(429)
                .expectHeader()
                .valueEquals("RateLimit", "\"payment.bank\";r=0;t=1")
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo("Too many payments. Nothing was booked. Try again later.");

        clock.advance(Duration.ofSeconds(1));
        pay("B-50").expectStatus().isCreated();
    }

    @Test
    void aRefusedPaymentIsNotBooked() {
        for (int i = 0; i < 5; i++) {
            pay("A-17").expectStatus().isCreated();
        }
        long booked = ledger.payments();
        long cents = ledger.cents();

        pay("A-17").expectStatus().isEqualTo(429);

        assertThat(ledger.payments()).isEqualTo(booked);
        assertThat(ledger.cents()).isEqualTo(cents);
    }

    @Test
    void aPaymentCannotHideItsAccount() {
        String payment = "{\"account\": \"A-17\", \"cents\": 1999}";

        post(" ".repeat(70_000) + payment).expectStatus().isEqualTo(413);
        post("{\"account\": \"A-18\", " + payment.substring(1)).expectStatus().isBadRequest();
        post("{\"cents\": 1999}").expectStatus().isBadRequest();
        post("{\"account\": \"A-17\", \"cents\": -1}").expectStatus().isBadRequest();
    }

    private ResponseSpec pay(String account) {
        return post("{\"account\": \"" + account + "\", \"cents\": 1999}");
    }

    private ResponseSpec post(String body) {
        return http.post()
                .uri("/api/payments")
                .contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .exchange();
    }
}
