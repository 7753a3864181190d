package io.sluice.spring.gateway;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RuleCall;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.pattern.PathRefusedException;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.internal.PermitScope;
import io.sluice.spring.internal.RuleFields;
import io.sluice.spring.internal.Rulings;
import io.sluice.spring.named.NamedRules;
import io.sluice.spring.web.AnswerSettlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Asks the rules about a request on a route. Never blocks. The scope of the exchange holds the permits of a ruling, even if the
 * caller disconnected before the ruling arrived. Without a scope, permits are held until their time to live ends.
 */
public final class RouteDecisions {

    private final Evaluator evaluator;
    private final NamedRules named;
    private final Clock clock;
    private final PathForm paths;
    private final RuleSetFields fields = new RuleSetFields();

    public RouteDecisions(Evaluator evaluator, Clock clock, PathForm paths, NamedRules named) {
        this.evaluator = evaluator;
        this.named = named;
        this.clock = clock;
        this.paths = paths;
    }

    PermitScope newPermits() {
        return new PermitScope(evaluator, clock);
    }

    AnswerSettlement newSettlement() {
        return new AnswerSettlement(evaluator);
    }

    /** Returns whether a rule in force settles by the response, so that the response must be read. */
    boolean settles() {
        return fields.settles(evaluator.rules());
    }

    /** Returns the rule, or null if it is disabled, or if it is missing and requests may pass. */
    @Nullable
    Rule inForce(String rule, String route) {
        return named.find(rule, "route " + route);
    }

    /** Returns the ruling of a single rule, regardless of its scope. It is emitted when the request may continue. */
    Mono<Ruling.Settled> byRule(
            Rule rule, @Nullable RouteScope scope, String service, @Nullable String key, long permits) {
        return Mono.defer(() -> decide(
                List.of(new RuleCall(rule, attributes(RuleFields.of(rule), scope, service, key), permits)), scope));
    }

    /**
     * Returns the ruling of all rules in force that match the request and have not charged it yet. It is emitted when the request
     * may continue; empty if no rule matches.
     */
    Mono<Ruling.Settled> byRulesInForce(RouteScope scope) {
        return Mono.defer(() -> {
            RuleSet set = evaluator.rules();
            if (!set.hasScopes()) {
                return Mono.empty();
            }
            Attributes request = attributes(fields.of(set), scope, scope.service(), null);
            List<RuleCall> claims = new ArrayList<>();
            for (Rule rule : set.matching(request)) {
                // A rule that denies or exempts does not count, so it is asked every time.
                if (rule.action() != Action.LIMIT || !scope.charged().contains(rule.id())) {
                    claims.add(new RuleCall(rule, request, 1));
                }
            }
            return claims.isEmpty()
                    ? Mono.empty()
                    : decide(claims, scope).doOnNext(ruling -> note(claims, ruling, scope));
        });
    }

    private static void note(List<RuleCall> claims, Ruling.Settled ruling, RouteScope scope) {
        if (ruling.allowed()) {
            claims.forEach(claim -> scope.charged().add(claim.rule().id()));
        }
    }

    private Mono<Ruling.Settled> decide(List<RuleCall> claims, @Nullable RouteScope scope) {
        Scheduler here = scope == null ? here() : scope.thread();
        CompletableFuture<Ruling> ruling = evaluator.evaluateNamed(claims).toCompletableFuture();
        return Mono.<Ruling.Settled>create(sink -> hear(ruling, claims.get(0).rule(), scope, here, sink))
                .flatMap(settled -> whenItIsTime(settled, here));
    }

    /**
     * Returns the scheduler on which to continue if the exchange is unknown: on the current event loop if it belongs to Reactor Netty, and
     * not, for example, to a Redis client that resolved a key.
     */
    private static Scheduler here() {
        EventExecutor loop = ThreadExecutorMap.currentExecutor();
        return loop != null && Schedulers.isInNonBlockingThread()
                ? Schedulers.fromExecutor(loop)
                : Schedulers.parallel();
    }

    /** Gives up settlements, because without an exchange there is no response that could settle them. */
    private void unsettled(Ruling.Settled ruling) {
        Reservation reservation = ruling.reservation();
        if (reservation != null) {
            evaluator.unsettled(reservation, "no-figure");
        }
    }

    private void hear(
            CompletableFuture<Ruling> coming,
            Rule rule,
            @Nullable RouteScope scope,
            Scheduler here,
            MonoSink<Ruling.Settled> sink) {
        boolean atOnce = coming.isDone();
        CompletionStage<Ruling> ruled = coming;
        ruled.whenComplete((ruling, failure) -> {
            if (failure != null) {
                sink.error(failure);
                return;
            }
            Ruling.Settled settled =
                    Rulings.settled(ruling, rule, evaluator.rules().version());
            if (scope == null) {
                unsettled(settled);
            } else {
                scope.permits().hold(settled.permit());
                scope.settlement().add(settled.reservation());
            }
            if (atOnce) {
                sink.success(settled);
            } else {
                // The next filters must not run on the thread that delivers the store's replies.
                here.schedule(() -> sink.success(settled));
            }
        });
    }

    private static Mono<Ruling.Settled> whenItIsTime(Ruling.Settled ruling, Scheduler here) {
        Duration wait = ruling.waitFor();
        return !ruling.allowed() || wait.isZero()
                ? Mono.just(ruling)
                : Mono.delay(wait).publishOn(here).thenReturn(ruling);
    }

    private Attributes attributes(Set<String> names, @Nullable RouteScope scope, String service, @Nullable String key) {
        Map<String, String> known = new HashMap<>();
        if (scope != null) {
            for (String name : names) {
                CurrentRequest request = scope.request();
                String value = name.equals("path") ? request.sentPath() : request.attribute(name);
                if (value != null) {
                    known.put(name, value);
                }
            }
        }
        known.put("service", service);
        if (key != null) {
            known.put(RouteRule.KEY, key);
        }
        try {
            Attributes request = Attributes.of(known, paths);
            return scope == null ? request : request.from(scope.request().origin());
        } catch (PathRefusedException e) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, e.getMessage(), e);
        }
    }
}
