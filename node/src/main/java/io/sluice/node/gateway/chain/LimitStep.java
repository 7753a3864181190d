package io.sluice.node.gateway.chain;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.http.answer.AnswerHeaders;
import io.sluice.http.answer.AnswerLanguage;
import io.sluice.http.answer.RefusalBody;
import io.sluice.http.field.BodyFields;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.exchange.GatewayProblem;
import io.sluice.node.gateway.exchange.OwnAnswer;
import io.sluice.node.gateway.exchange.RequestAttributes;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Permit;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.snapshot.RuleSet;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks all rules in force for one decision, except for limits that were decided early, and applies it. Thread-safe; each request
 * stays on its own event loop.
 *
 * <p>No request passes without a decision. If the caller disconnects while the decision is pending or while waiting for its time
 * slot, charges of rates and windows stay, because the slot was taken. Concurrency permits are always released, exactly once, and
 * reservations are given back if no upstream has seen the request.
 */
final class LimitStep {

    private static final int RENEWALS_IN_TTL = 3;

    private final Evaluator evaluator;
    private final RefusalBody refusals;
    private final boolean xRateLimit;
    private final Vertx vertx;
    private final FailureLog failures;
    private final FailureLog settlements;
    private final BodyStep bodies;

    LimitStep(
            Evaluator evaluator,
            RefusalBody refusals,
            boolean xRateLimit,
            Vertx vertx,
            FailureLog failures,
            FailureLog settlements,
            BodyStep bodies) {
        this.evaluator = evaluator;
        this.refusals = refusals;
        this.xRateLimit = xRateLimit;
        this.vertx = vertx;
        this.failures = failures;
        this.settlements = settlements;
        this.bodies = bodies;
    }

    /** Continues with {@code then} if the request is allowed. */
    void limit(ChainRun run, Runnable then) {
        GatewayExchange exchange = run.exchange();
        RuleSet rules = evaluator.rules();
        if (!rules.hasScopes()) {
            then.run();
            return;
        }
        try {
            Map<String, String> values = RequestAttributes.of(exchange, rules);
            Attributes known = Attributes.of(values, run.state().paths());
            Set<String> named = rules.bodyFields(known);
            if (named.isEmpty()) {
                decide(run, known, then);
                return;
            }
            BodyFields fields = BodyFields.of(named, evaluator.rules(known).requiredFields(known));
            bodies.read(
                    exchange,
                    fields,
                    found -> run.guarded(() -> {
                        values.putAll(found);
                        decide(
                                run,
                                found.isEmpty()
                                        ? known
                                        : Attributes.of(values, run.state().paths()),
                                then);
                    }));
        } catch (RefusedRequestException e) {
            GatewayProblem.answer(exchange, e.status(), e.detail());
        } catch (RuntimeException e) {
            failures.failed(run, "deciding a request's limits", e);
        }
    }

    private void decide(ChainRun run, Attributes request, Runnable then) {
        Attributes known = request.from(run.exchange().origin());
        run.await(evaluator.evaluateAfterEarly(known, 1), (ruling, failure) -> ruled(run, ruling, failure, then));
    }

    /** Applies a ruling: holds its permits, refuses, waits, or continues with {@code then} immediately. */
    void ruled(ChainRun run, @Nullable Ruling ruling, @Nullable Throwable failure, Runnable then) {
        GatewayExchange exchange = run.exchange();
        if (ruling instanceof Ruling.Settled settled) {
            run.ruled(settled);
            Permit permit = settled.permit();
            if (permit != null) {
                hold(exchange, permit);
            }
            Reservation reservation = settled.reservation();
            if (reservation != null) {
                AnswerSettlement settlement = new AnswerSettlement(evaluator, reservation, exchange, settlements);
                run.settledBy(settlement);
                settlement.begin();
            }
            if (exchange.isOpen()) {
                settled(run, settled, then);
            }
        } else if (ruling instanceof Ruling.Impossible impossible) {
            GatewayProblem.answer(exchange, 400, "limit " + impossible.limit() + ": cannot hold one request");
        } else {
            failures.failed(run, "deciding a request's limits", failure);
        }
    }

    private void settled(ChainRun run, Ruling.Settled ruling, Runnable then) {
        GatewayExchange exchange = run.exchange();
        AnswerHeaders.of(ruling, xRateLimit)
                .forEach((name, value) -> exchange.answerHeaders().set(name, value));
        if (!ruling.allowed()) {
            refuse(run, ruling);
        } else if (ruling.waitFor().isZero()) {
            then.run();
        } else {
            after(run, ruling.waitFor(), then);
        }
    }

    private void after(ChainRun run, Duration wait, Runnable then) {
        GatewayExchange exchange = run.exchange();
        long millis = Math.max(1, wait.plusNanos(999_999).toMillis());
        long timer = vertx.setTimer(millis, fired -> {
            if (exchange.isOpen()) {
                run.guarded(then);
            }
        });
        exchange.whenOver(() -> vertx.cancelTimer(timer));
    }

    private void refuse(ChainRun run, Ruling.Settled ruling) {
        GatewayExchange exchange = run.exchange();
        AnswerLanguage language = AnswerLanguage.of(exchange.request().getHeader(HttpHeaders.ACCEPT_LANGUAGE));
        RefusalBody.Content content =
                run.state().refusals().of(ruling, language).orElseGet(() -> content(exchange, ruling, language));
        exchange.answerHeaders()
                .set(HttpHeaders.CONTENT_LANGUAGE, content.language().code())
                .set(HttpHeaders.CACHE_CONTROL, "no-store");
        OwnAnswer.send(exchange, content.status(), content.contentType(), content.text());
    }

    /** Falls back to the standard body, because a body that cannot be created must not let the request pass. */
    @SuppressWarnings("NullAway") // a user's implementation may violate the contract
    private RefusalBody.Content content(GatewayExchange exchange, Ruling.Settled ruling, AnswerLanguage language) {
        try {
            RefusalBody.Content content = refusals.of(ruling, language);
            if (content != null) {
                return content;
            }
            failures.told(exchange, "creating the body of a refusal", null);
        } catch (Throwable e) {
            CallbackFailures.rethrowIfBroken(e);
            failures.told(exchange, "creating the body of a refusal", e);
        }
        return RefusalBody.PROBLEM.of(ruling, language);
    }

    /** Holds a permit until the answer has ended or the caller has disconnected. */
    private void hold(GatewayExchange exchange, Permit permit) {
        long every = Math.max(1, permit.ttl().toMillis() / RENEWALS_IN_TTL);
        long timer = vertx.setPeriodic(every, tick -> evaluator.renew(permit).exceptionally(unheard -> false));
        exchange.whenOver(() -> {
            vertx.cancelTimer(timer);
            evaluator.release(permit).exceptionally(unheard -> false);
        });
    }
}
