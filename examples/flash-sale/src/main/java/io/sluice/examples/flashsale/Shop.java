package io.sluice.examples.flashsale;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** A shop. That it takes 1,000 orders per second, and no more, is a rule in {@code application.yaml}. */
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
            // Here the order goes to whoever cannot take more than so many: the warehouse, the bank.
        }

        @GetMapping("/article")
        String article() {
            return "One of a thousand.";
        }
    }
}
