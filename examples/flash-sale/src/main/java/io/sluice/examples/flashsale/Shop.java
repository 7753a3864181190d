package io.sluice.examples.flashsale;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** A shop. The rule in {@code application.yaml} allows 1,000 orders per second and no more. */
@SpringBootApplication
public class Shop {

    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }

    @RestController
    static class Orders {

        @PostMapping("/orders")
        @ResponseStatus(HttpStatus.CREATED)
        void place() {
            // Pass the order on to a system with a fixed capacity, such as a warehouse or a bank.
        }

        @GetMapping("/article")
        String article() {
            return "One of a thousand.";
        }
    }
}
