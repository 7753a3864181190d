package io.sluice.examples.payment;

import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/** A stand-in for the bank. It would take every payment that reaches it. */
@Component
class Ledger {

    private final AtomicLong payments = new AtomicLong();
    private final AtomicLong cents = new AtomicLong();

    /** Books a payment and returns its number. */
    long book(long amount) {
        cents.addAndGet(amount);
        return payments.incrementAndGet();
    }

    long payments() {
        return payments.get();
    }

    long cents() {
        return cents.get();
    }
}
