package io.sluice.spring.client;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RuleCall;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathRefusedException;
import io.sluice.rules.reserve.Reservation;
import io.sluice.spring.internal.PermitScope;
import io.sluice.spring.internal.RuleFields;
import io.sluice.spring.internal.Rulings;
import io.sluice.spring.named.NamedRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Every call passes through a gate. It finds the call's limits, waits for all of them in one decision, and inspects the response.
 * Thread-safe.
 */
final class CallGate {

    private final Evaluator evaluator;
    private final NamedRules rules;
    private final Clock clock;
    private final Function<OutboundCall, List<LimitedCalls>> limits;
    private final Pauses pauses;

    /** @param pauses the pauses, shared by all gates of the process */
    CallGate(
            Evaluator evaluator,
            NamedRules rules,
            Clock clock,
            Pauses pauses,
            Function<OutboundCall, List<LimitedCalls>> limits) {
        this.evaluator = evaluator;
        this.rules = rules;
        this.clock = clock;
        this.limits = limits;
        this.pauses = pauses;
    }

    PermitScope newPermits() {
        return new PermitScope(evaluator, clock);
    }

    /** Starts to wait until the limits admit a call. Returns null if the call has no limit. */
    @Nullable
    Admission admit(OutboundCall call) {
        List<LimitedCalls> own = limits.apply(call);
        List<RuleCall> claims = new ArrayList<>(own.size());
        Duration maxWait = LimitedCalls.LONGEST_WAIT;
        Duration pause = Duration.ZERO;
        for (LimitedCalls one : own) {
            Rule made = one.rule();
            Rule rule = made == null ? rules.find(one.name(), "calls to " + call.host()) : made;
            if (rule != null) {
                claims.add(new RuleCall(rule, attributes(rule, one.key(call), call), 1));
            }
            maxWait = shorter(maxWait, one.maxWait());
            pause = longer(pause, pauses.left(one, call));
        }
        if (claims.isEmpty() && pause.isZero()) {
            return null;
        }
        Admission admission = new Admission(evaluator::giveBack);
        if (pause.isZero()) {
            acquire(admission, claims, maxWait);
        } else if (pause.compareTo(maxWait) > 0) {
            admission.tell(Rulings.pausedFor(pause, evaluator.rules().version()));
        } else {
            Duration rest = maxWait.minus(pause);
            Clock.Alarm alarm = clock.at(clock.nanoTime() + pause.toNanos(), () -> acquire(admission, claims, rest));
            admission.onLeave(alarm::cancel);
        }
        return admission;
    }

    /** Inspects the response of the third party. */
    void answered(OutboundCall call, int status, HttpHeaders headers) {
        if (status == 429 || status == 503) {
            for (LimitedCalls one : limits.apply(call)) {
                if (one.heedsRetryAfter()) {
                    pauses.heard(one, call, headers.getFirst(HttpHeaders.RETRY_AFTER));
                }
            }
        }
    }

    private void acquire(Admission admission, List<RuleCall> claims, Duration maxWait) {
        long version = evaluator.rules().version();
        if (claims.isEmpty()) {
            admission.tell(Rulings.unlimited(version));
            return;
        }
        CompletableFuture<Ruling> coming = evaluator.acquireNamed(claims, maxWait);
        admission.onLeave(() -> coming.cancel(false));
        CompletionStage<Ruling> ruled = coming;
        ruled.whenComplete((ruling, failure) -> {
            if (failure == null) {
                Ruling.Settled settled = Rulings.settled(ruling, claims.get(0).rule(), version);
                unsettled(settled);
                admission.tell(settled);
            } else {
                admission.completeExceptionally(failure);
            }
        });
    }

    /** Gives up settlements, because responses of third parties settle nothing. */
    private void unsettled(Ruling.Settled ruling) {
        Reservation reservation = ruling.reservation();
        if (reservation != null) {
            evaluator.unsettled(reservation, "no-figure");
        }
    }

    private static Attributes attributes(Rule rule, @Nullable String key, OutboundCall call) {
        Map<String, String> known = new HashMap<>();
        for (String name : RuleFields.of(rule)) {
            String value = call.attribute(name);
            if (value != null) {
                known.put(name, value);
            }
        }
        if (key != null) {
            known.put(CallRule.KEY, key);
        }
        try {
            return Attributes.of(known);
        } catch (PathRefusedException e) {
            known.remove("path");
            return Attributes.of(known);
        }
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
