package io.sluice.spring.web;

import io.sluice.rules.evaluate.EarlyRuling;
import io.sluice.rules.evaluate.Evaluator;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Counts the response to one request, once, by the rules on {@code answer.status}. Call it just before the head of the response is sent, so
 * that it is already counted at the caller's next request. The response does not wait for the count. Thread-safe.
 */
public final class AnswerCount {

    private final Evaluator evaluator;
    private final EarlyRuling ruling;
    private final WebAnswers answers;
    private final AtomicBoolean counted = new AtomicBoolean();

    AnswerCount(Evaluator evaluator, EarlyRuling ruling, WebAnswers answers) {
        this.evaluator = evaluator;
        this.ruling = ruling;
        this.answers = answers;
    }

    /** Counts the response if it has not been counted yet. Never throws. */
    public void count(int status) {
        if (counted.compareAndSet(false, true)) {
            try {
                evaluator.answered(ruling, status);
            } catch (RuntimeException e) {
                // The response is sent anyway.
                answers.told("counting a response", e);
            }
        }
    }
}
