package io.sluice.node.gateway.chain;

import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.exchange.RequestAttributes;
import io.sluice.rules.evaluate.EarlyRuling;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import org.jspecify.annotations.Nullable;

/**
 * Asks the rules that act before authentication, if there are any, and has the answer counted if rules count answers. Thread-safe; each
 * request stays on its own event loop.
 *
 * <p>An answer is counted just before its head is sent, so that it is already counted when a caller who waits for answers sends the next
 * request. The answer does not wait for the count.
 */
final class EarlyStep {

    private final Evaluator evaluator;
    private final LimitStep limits;
    private final FailureLog failures;

    EarlyStep(Evaluator evaluator, LimitStep limits, FailureLog failures) {
        this.evaluator = evaluator;
        this.limits = limits;
        this.failures = failures;
    }

    /** Continues with {@code then} if the request is allowed so far. */
    void decide(ChainRun run, Runnable then) {
        if (!evaluator.rules().hasEarly()) {
            then.run();
            return;
        }
        Attributes known = Attributes.of(
                        RequestAttributes.early(run.exchange()), run.state().paths())
                .from(run.exchange().origin());
        run.await(evaluator.evaluateEarly(known), (ruling, failure) -> ruled(run, ruling, failure, then));
    }

    private void ruled(ChainRun run, @Nullable EarlyRuling ruling, @Nullable Throwable failure, Runnable then) {
        if (ruling == null) {
            failures.failed(run, "deciding a request's early limits", failure);
            return;
        }
        if (ruling.countsAnswer()) {
            new AnswerCount(run.exchange(), ruling).start();
        }
        Ruling said = ruling.ruling().orElse(null);
        if (said != null) {
            limits.ruled(run, said, null, then);
        } else if (run.exchange().isOpen()) {
            then.run();
        }
    }

    /** Counts one answer, once. */
    private final class AnswerCount {

        private final GatewayExchange exchange;
        private final EarlyRuling ruling;
        private boolean counted;

        AnswerCount(GatewayExchange exchange, EarlyRuling ruling) {
            this.exchange = exchange;
            this.ruling = ruling;
        }

        void start() {
            exchange.response()
                    .headersEndHandler(sending -> count(exchange.response().getStatusCode()));
            exchange.whenOver(() -> count(Gateway.status(exchange)));
        }

        private void count(int status) {
            if (!counted) {
                counted = true;
                try {
                    evaluator.answered(ruling, status);
                } catch (RuntimeException e) {
                    // The answer is sent anyway.
                    failures.told(exchange, "counting an answer", e);
                }
            }
        }
    }
}
