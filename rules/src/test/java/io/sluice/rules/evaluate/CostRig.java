package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Evaluators with and without a store, and what their listeners learned of reservations. */
final class CostRig {

    static final String COMPLETIONS = """
            rules:
              - id: completions
                limits:
                  - { id: requests, by: tenant, rate: 60/m, burst: 60 }
                  - id: tokens
                    by: tenant
                    rate: 100000/m
                    cost: { reserve: json.max_tokens, default: 2000, settle: answer.json.usage.total_tokens }
                  - id: budget
                    by: tenant
                    algorithm: fixed_window
                    limit: 20000
                    align: month
                    cost: { reserve: json.max_tokens, default: 2000, settle: answer.json.usage.total_tokens }
            """;

    static final String TWO_ENGINES = """
            rules:
              - id: here
                mode: local
                limits: [{ id: tokens, rate: 100/m, cost: { reserve: 10, settle: answer.json.tokens } }]
              - id: there
                limits:
                  - { id: tokens, rate: 100/m, cost: { reserve: 10, settle: answer.json.tokens } }
                  - { id: chars, rate: 100/m, cost: { reserve: 10, settle: answer.json.chars } }
            """;

    static final Duration SOON = Duration.ofSeconds(1);

    final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    final List<SettledLimit> told = new ArrayList<>();
    final List<String> unsettled = new ArrayList<>();
    final List<String> standing = new ArrayList<>();
    final Limiter shared = new Limiter(new LocalEngine(clock), clock, List.of());

    private final Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());

    Evaluator inProcess(String document) {
        return evaluator(document, null);
    }

    Evaluator withStore(String document) {
        return evaluator(document, shared);
    }

    Evaluator evaluator(String document, @Nullable Limiter store) {
        RuleDocument read = RuleDocument.parse("test", document);
        assertThat(read).isInstanceOf(RuleDocument.Accepted.class);
        RuleSet rules = new RuleSet(7, ((RuleDocument.Accepted) read).rules());
        return new Evaluator(() -> rules, local, store, KeySettings.ofThisProcess(), clock, new RulingListener() {
            @Override
            public void ruled(Settled ruling, long elapsedNanos) {}

            @Override
            public void settled(SettledLimit settled) {
                told.add(settled);
            }

            @Override
            public void unsettled(Reservation reservation, String reason) {
                unsettled.add(reason);
                reservation.limits().forEach(limit -> standing.add(limit.id()));
            }
        });
    }

    static Settled ruled(Evaluator evaluator, Map<String, String> request) {
        return ruling(evaluator, request, 1);
    }

    static Settled ruling(Evaluator evaluator, Map<String, String> request, long permits) {
        return settled(evaluator.evaluate(Attributes.of(request), permits));
    }

    static Settled settled(CompletionStage<Ruling> ruling) {
        return settled(ruling.toCompletableFuture().join());
    }

    static Settled settled(Ruling ruling) {
        return (Settled) ruling;
    }

    static Reservation reservation(Settled ruling) {
        return Objects.requireNonNull(ruling.reservation());
    }

    static List<SettledLimit> settle(Evaluator evaluator, Reservation reservation, long actual) {
        Map<String, Long> figures = new HashMap<>();
        reservation.limits().forEach(limit -> figures.put(limit.id(), actual));
        return evaluator
                .settle(reservation, figures, SOON)
                .toCompletableFuture()
                .join();
    }

    static long left(Settled ruling, String limit) {
        return ruling.costs().stream()
                .filter(each -> each.id().equals(limit))
                .findFirst()
                .orElseThrow()
                .remaining();
    }
}
