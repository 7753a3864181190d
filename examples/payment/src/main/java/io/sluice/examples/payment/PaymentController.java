package io.sluice.examples.payment;

import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Contains no rate limiting code. A payment that the rule {@code payment} refuses does not arrive here, so nothing is booked. */
@RestController
class PaymentController {

    record Payment(String account, long cents) {

        private boolean isValid() {
            return account != null && !account.isBlank() && cents > 0;
        }

        @Override
        public String toString() {
            return "a payment";
        }
    }

    private final Ledger ledger;

    PaymentController(Ledger ledger) {
        this.ledger = ledger;
    }

    @PostMapping(path = "/api/payments", consumes = "application/json")
    ResponseEntity<Map<String, Object>> pay(@RequestBody Payment payment) {
        return payment.isValid()
                ? ResponseEntity.status(HttpStatus.CREATED).body(Map.of("payment", ledger.book(payment.cents())))
                : ResponseEntity.badRequest()
                        .body(Map.of("message", "account, cents: missing (expected: a name and a positive number)"));
    }
}
