package io.sluice.node.api;

import io.sluice.http.answer.AnswerHeaders;
import io.sluice.http.answer.AnswerJson;
import io.sluice.node.trace.Tracing;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Explanation;
import io.sluice.rules.evaluate.Permit;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Origin;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.rules.side.Sides;
import io.sluice.rules.snapshot.RuleSet;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The decision API. Answers on the event loop that received the request. */
public final class DecisionRoutes {

    private final Vertx vertx;
    private final Evaluator evaluator;
    private final Supplier<RuleSet> rules;
    private final PermitSeals seals;
    private final boolean xRateLimit;
    private final Tracing tracing;

    /** Creates routes that record no traces. */
    public DecisionRoutes(
            Vertx vertx, Evaluator evaluator, Supplier<RuleSet> rules, PermitSeals seals, boolean xRateLimit) {
        this(vertx, evaluator, rules, seals, xRateLimit, Tracing.UNRECORDED);
    }

    /** @param xRateLimit whether answers also carry the older {@code X-RateLimit} headers */
    public DecisionRoutes(
            Vertx vertx,
            Evaluator evaluator,
            Supplier<RuleSet> rules,
            PermitSeals seals,
            boolean xRateLimit,
            Tracing tracing) {
        this.vertx = vertx;
        this.evaluator = evaluator;
        this.rules = rules;
        this.seals = seals;
        this.xRateLimit = xRateLimit;
        this.tracing = tracing;
    }

    void check(ApiExchange exchange, byte[] body) {
        CheckRequest check;
        try {
            check = CheckRequest.read(body, rules.get());
        } catch (IllegalArgumentException e) {
            ReplySender.badRequest(exchange, e);
            return;
        }
        Origin origin = exchange.origin(tracing);
        answer(exchange, evaluate(check, origin), ruling -> ruled(exchange, check, ruling));
    }

    private CompletionStage<Ruling> evaluate(CheckRequest check, Origin origin) {
        Attributes request = check.attributes().from(origin);
        return check.reserve()
                ? evaluator.evaluateReserving(request, check.permits())
                : evaluator.evaluate(request, check.permits());
    }

    void explain(ApiExchange exchange, byte[] body) {
        CheckRequest check;
        try {
            check = CheckRequest.read(body, rules.get());
        } catch (IllegalArgumentException e) {
            ReplySender.badRequest(exchange, e);
            return;
        }
        answer(exchange, evaluator.explain(check.attributes(), check.permits()), said -> explained(exchange, said));
    }

    void checkAll(ApiExchange exchange, byte[] body) {
        List<BatchItem> items;
        try {
            items = BatchItem.readAll(body, rules.get());
        } catch (IllegalArgumentException e) {
            ReplySender.badRequest(exchange, e);
            return;
        }
        Origin origin = exchange.origin(tracing);
        List<CompletionStage<String>> answers = new ArrayList<>(items.size());
        for (BatchItem item : items) {
            CheckRequest check = item.check();
            answers.add(
                    check == null
                            ? CompletableFuture.completedFuture(ReplyJson.problem(400, item.refused()))
                            : evaluate(check, origin)
                                    .handle((ruling, failure) -> inBatch(origin, check, ruling, failure)));
        }
        CompletableFuture<?>[] all =
                answers.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture<?>[]::new);
        answer(exchange, CompletableFuture.allOf(all), done -> {
            List<String> bodies = answers.stream()
                    .map(each -> each.toCompletableFuture().join())
                    .toList();
            ReplySender.json(exchange, 200, "{\"results\":[" + String.join(",", bodies) + "]}");
        });
    }

    void release(ApiExchange exchange, byte[] body) {
        onPermit(exchange, body, evaluator::release);
    }

    void renew(ApiExchange exchange, byte[] body) {
        onPermit(exchange, body, evaluator::renew);
    }

    private void onPermit(ApiExchange exchange, byte[] body, Function<Permit, CompletionStage<Boolean>> action) {
        String text;
        try {
            text = PermitRequest.read(body);
        } catch (IllegalArgumentException e) {
            ReplySender.badRequest(exchange, e);
            return;
        }
        Optional<Permit> permit = seals.open(text);
        if (permit.isEmpty()) {
            notHeld(exchange);
            return;
        }
        CompletionStage<Optional<Boolean>> outcome =
                action.apply(permit.get()).handle((held, failure) -> Optional.ofNullable(held));
        answer(exchange, outcome, held -> {
            if (held.isEmpty()) {
                exchange.response().putHeader("Retry-After", "1");
                ReplySender.problem(
                        exchange,
                        503,
                        "permit: state unknown, because the shared store does not answer (expected: try again later)");
            } else if (held.get()) {
                ReplySender.nothing(exchange);
            } else {
                notHeld(exchange);
            }
        });
    }

    private static void notHeld(ApiExchange exchange) {
        ReplySender.problem(
                exchange, 404, "permit: not held (expected: a permit that has neither expired nor been released)");
    }

    void settle(ApiExchange exchange, byte[] body) {
        SettleRequest request;
        try {
            request = SettleRequest.read(body);
        } catch (IllegalArgumentException e) {
            ReplySender.badRequest(exchange, e);
            return;
        }
        Optional<Reservation> reservation = seals.openReservation(request.reservation());
        if (reservation.isEmpty()) {
            if (seals.awaitsKey()) {
                again(exchange, "the node has just started and does not know the key of the others yet");
            } else {
                ReplySender.problem(exchange, 404, SettleAnswer.UNKNOWN);
            }
            return;
        }
        Map<String, Long> named;
        CompletionStage<List<SettledLimit>> settled;
        try {
            named = request.figures(reservation.get());
            settled = evaluator.settle(
                    reservation.get(), SettleRequest.withCandidates(named, reservation.get()), Sides.DEFAULT_DEADLINE);
        } catch (IllegalArgumentException e) {
            ReplySender.badRequest(exchange, e);
            return;
        }
        answer(exchange, settled.handle((limits, failure) -> Optional.ofNullable(limits)), limits -> {
            if (limits.isEmpty()) {
                again(exchange, "the shared store does not answer");
            } else {
                SettleAnswer.of(limits.get().stream()
                                .filter(limit -> named.containsKey(limit.limit().id()))
                                .toList())
                        .send(exchange);
            }
        });
    }

    private static void again(ApiExchange exchange, String why) {
        exchange.response().putHeader("Retry-After", "1");
        ReplySender.problem(
                exchange,
                503,
                "reservation: state unknown, because " + why + " (expected: the same request again later)");
    }

    private void ruled(ApiExchange exchange, CheckRequest check, Ruling ruling) {
        if (ruling instanceof Ruling.Settled settled) {
            HttpServerResponse response = exchange.response();
            AnswerHeaders.of(settled, xRateLimit).forEach(response::putHeader);
            byte[] body = check.reserve()
                    ? AnswerJson.checkBytes(settled, seals::seal, this::sealed)
                    : AnswerJson.checkBytes(settled, seals::seal);
            unasked(check, settled);
            ReplySender.json(exchange, ReplyJson.status(settled), body);
        } else {
            ReplySender.problem(exchange, 400, ReplyJson.impossible((Ruling.Impossible) ruling));
        }
    }

    /** Returns the text of a reservation; null if the text is too long, in which case the reservation stands. */
    private @Nullable String sealed(Reservation reservation) {
        Optional<String> text = seals.seal(reservation);
        if (text.isEmpty()) {
            evaluator.unsettled(reservation, "too-long");
        }
        return text.orElse(null);
    }

    /** A reservation that the caller did not request can never be settled. */
    private void unasked(CheckRequest check, Ruling.Settled ruling) {
        Reservation reservation = ruling.reservation();
        if (reservation != null && !check.reserve()) {
            evaluator.unsettled(reservation, "unasked");
        }
    }

    private static void explained(ApiExchange exchange, Explanation explanation) {
        Optional<String> body = AnswerJson.explain(explanation);
        if (body.isPresent()) {
            ReplySender.json(exchange, 200, body.get());
        } else {
            ReplySender.problem(exchange, 400, ReplyJson.impossible((Ruling.Impossible) explanation.ruling()));
        }
    }

    private String inBatch(Origin origin, CheckRequest check, @Nullable Ruling ruling, @Nullable Throwable failure) {
        if (ruling instanceof Ruling.Settled settled) {
            String body = check.reserve()
                    ? AnswerJson.check(settled, seals::seal, this::sealed)
                    : AnswerJson.check(settled, seals::seal);
            unasked(check, settled);
            return "{\"status\":" + ReplyJson.status(settled) + "," + body.substring(1);
        }
        return ruling instanceof Ruling.Impossible impossible
                ? ReplyJson.problem(400, ReplyJson.impossible(impossible))
                : ReplySender.failedInBatch(origin, failure);
    }

    /** Continues with the answer on this event loop, whichever thread provides it. */
    private <T> void answer(ApiExchange exchange, CompletionStage<T> answer, Consumer<T> then) {
        if (answer instanceof CompletableFuture<T> here && here.isDone() && !here.isCompletedExceptionally()) {
            finish(exchange, here.join(), null, then);
            return;
        }
        Context context = vertx.getOrCreateContext();
        answer.whenComplete((value, failure) -> {
            if (Vertx.currentContext() == context) {
                finish(exchange, value, failure, then);
            } else {
                context.runOnContext(back -> finish(exchange, value, failure, then));
            }
        });
    }

    private static <T> void finish(ApiExchange exchange, T value, @Nullable Throwable failure, Consumer<T> then) {
        if (failure != null) {
            ReplySender.failed(exchange, failure);
            return;
        }
        try {
            then.accept(value);
        } catch (RuntimeException e) {
            ReplySender.failed(exchange, e);
        }
    }
}
