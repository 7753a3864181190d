package io.sluice.node;

import io.sluice.rules.AnswerHeaders;
import io.sluice.rules.AnswerJson;
import io.sluice.rules.Evaluator;
import io.sluice.rules.Explanation;
import io.sluice.rules.Permit;
import io.sluice.rules.RuleSet;
import io.sluice.rules.Ruling;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The decision API. Answers on the event loop that the request came in on. */
final class DecisionRoutes {

    private final Vertx vertx;
    private final Evaluator evaluator;
    private final Supplier<RuleSet> rules;
    private final boolean xRateLimit;

    /** @param xRateLimit whether answers carry the older headers, too */
    DecisionRoutes(Vertx vertx, Evaluator evaluator, Supplier<RuleSet> rules, boolean xRateLimit) {
        this.vertx = vertx;
        this.evaluator = evaluator;
        this.rules = rules;
        this.xRateLimit = xRateLimit;
    }

    void check(Exchange exchange, byte[] body) {
        CheckRequest check;
        try {
            check = CheckRequest.read(body, rules.get());
        } catch (IllegalArgumentException e) {
            Replies.badRequest(exchange, e);
            return;
        }
        answer(exchange, evaluator.evaluate(check.attributes(), check.permits()), ruling -> ruled(exchange, ruling));
    }

    void explain(Exchange exchange, byte[] body) {
        CheckRequest check;
        try {
            check = CheckRequest.read(body, rules.get());
        } catch (IllegalArgumentException e) {
            Replies.badRequest(exchange, e);
            return;
        }
        answer(exchange, evaluator.explain(check.attributes(), check.permits()), said -> explained(exchange, said));
    }

    void checkAll(Exchange exchange, byte[] body) {
        List<BatchItem> items;
        try {
            items = BatchItem.readAll(body, rules.get());
        } catch (IllegalArgumentException e) {
            Replies.badRequest(exchange, e);
            return;
        }
        List<CompletionStage<String>> answers = new ArrayList<>(items.size());
        for (BatchItem item : items) {
            CheckRequest check = item.check();
            answers.add(
                    check == null
                            ? CompletableFuture.completedFuture(Answers.problem(400, item.refused()))
                            : evaluator
                                    .evaluate(check.attributes(), check.permits())
                                    .handle(DecisionRoutes::inBatch));
        }
        CompletableFuture<?>[] all =
                answers.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture<?>[]::new);
        answer(exchange, CompletableFuture.allOf(all), done -> {
            List<String> bodies = answers.stream()
                    .map(each -> each.toCompletableFuture().join())
                    .toList();
            Replies.json(exchange, 200, "{\"results\":[" + String.join(",", bodies) + "]}");
        });
    }

    void release(Exchange exchange, byte[] body) {
        onPermit(exchange, body, evaluator::release);
    }

    void renew(Exchange exchange, byte[] body) {
        onPermit(exchange, body, evaluator::renew);
    }

    private void onPermit(Exchange exchange, byte[] body, Function<Permit, CompletionStage<Boolean>> action) {
        String text;
        try {
            text = PermitRequest.read(body);
        } catch (IllegalArgumentException e) {
            Replies.badRequest(exchange, e);
            return;
        }
        Optional<Permit> permit = Permit.read(text);
        if (permit.isEmpty()) {
            notHeld(exchange);
            return;
        }
        CompletionStage<Optional<Boolean>> outcome =
                action.apply(permit.get()).handle((held, failure) -> Optional.ofNullable(held));
        answer(exchange, outcome, held -> {
            if (held.isEmpty()) {
                exchange.response().putHeader("Retry-After", "1");
                Replies.problem(
                        exchange, 503, "permit: not known, the shared store does not answer (expected: try again)");
            } else if (held.get()) {
                Replies.nothing(exchange);
            } else {
                notHeld(exchange);
            }
        });
    }

    private static void notHeld(Exchange exchange) {
        Replies.problem(exchange, 404, "permit: not held (expected: one that is not expired and not released)");
    }

    private void ruled(Exchange exchange, Ruling ruling) {
        if (ruling instanceof Ruling.Settled settled) {
            HttpServerResponse response = exchange.response();
            AnswerHeaders.of(settled, xRateLimit).forEach(response::putHeader);
            Replies.json(exchange, Answers.status(settled), AnswerJson.checkBytes(settled));
        } else {
            Replies.problem(exchange, 400, Answers.impossible((Ruling.Impossible) ruling));
        }
    }

    private static void explained(Exchange exchange, Explanation explanation) {
        Optional<String> body = AnswerJson.explain(explanation);
        if (body.isPresent()) {
            Replies.json(exchange, 200, body.get());
        } else {
            Replies.problem(exchange, 400, Answers.impossible((Ruling.Impossible) explanation.ruling()));
        }
    }

    private static String inBatch(@Nullable Ruling ruling, @Nullable Throwable failure) {
        if (ruling instanceof Ruling.Settled settled) {
            return "{\"status\":" + Answers.status(settled) + ","
                    + AnswerJson.check(settled).substring(1);
        }
        return ruling instanceof Ruling.Impossible impossible
                ? Answers.problem(400, Answers.impossible(impossible))
                : Replies.failedInBatch(failure);
    }

    /** Goes on with the answer on this event loop, wherever it comes from. */
    private <T> void answer(Exchange exchange, CompletionStage<T> answer, Consumer<T> then) {
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

    private static <T> void finish(Exchange exchange, T value, @Nullable Throwable failure, Consumer<T> then) {
        if (failure != null) {
            Replies.failed(exchange, failure);
            return;
        }
        try {
            then.accept(value);
        } catch (RuntimeException e) {
            Replies.failed(exchange, e);
        }
    }
}
