package io.sluice.spring.method;

import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RuleCall;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.spring.method.expression.Call;
import io.sluice.spring.method.plan.MethodPlan;
import io.sluice.spring.method.plan.PlannedLimit;
import io.sluice.spring.method.plan.SettledFigure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The reservation of a call, until the end of the call settles it. The last result that contains a cost counts. The settlement delays no
 * caller, and its failures reach no caller. Thread-safe.
 */
final class OpenReservation {

    private static final Log LOG = LogFactory.getLog(OpenReservation.class);
    private static final Duration MAY_TAKE = Duration.ofSeconds(30);
    private static final String NO_FIGURE = "no-figure";
    private static final String ABORTED = "aborted";

    private final Evaluator evaluator;
    private final Reservation reservation;
    private final List<RuleCall> claims;
    private final MethodPlan plan;
    private final Call call;
    private final Map<String, Long> figures = new ConcurrentHashMap<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable RuntimeException missing;

    OpenReservation(Evaluator evaluator, Reservation reservation, List<RuleCall> claims, MethodPlan plan, Call call) {
        this.evaluator = evaluator;
        this.reservation = reservation;
        this.claims = claims;
        this.plan = plan;
        this.call = call;
    }

    /** Reads the cost from a result, or from one of several results. */
    void seen(@Nullable Object result) {
        for (PlannedLimit limit : plan.limits()) {
            SettledFigure figure = limit.parts().settle();
            if (figure != null) {
                try {
                    figures.put(limit.parts().rule(), figure.of(call, result));
                } catch (RuntimeException e) {
                    missing = e;
                }
            }
        }
    }

    /** Settles after a normal end. Only the first end counts. */
    void completed() {
        end(NO_FIGURE);
    }

    /** Settles after a failure, or after the caller cancelled. Only the first end counts. */
    void aborted() {
        end(ABORTED);
    }

    private void end(String otherwise) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        Map<String, Long> actual = new HashMap<>();
        List<ReservedLimit> standing = new ArrayList<>();
        for (ReservedLimit limit : reservation.limits()) {
            if (isDue(limit)) {
                Long figure = figures.get(limit.label().rule());
                if (figure == null) {
                    standing.add(limit);
                } else {
                    actual.put(limit.id(), figure);
                }
            }
        }
        if (!actual.isEmpty()) {
            // The evaluator reports failures.
            var unused = evaluator.settle(reservation, actual, MAY_TAKE);
        }
        if (!standing.isEmpty()) {
            evaluator.unsettled(new Reservation(reservation.id(), reservation.issuer(), standing), otherwise);
            if (otherwise.equals(NO_FIGURE)) {
                standing.forEach(limit -> tell(limit.label().rule()));
            }
        }
    }

    /**
     * Returns whether to settle a limit. If some limits of a rule are declared as settled, its other limits count something else, such as
     * requests.
     */
    private boolean isDue(ReservedLimit limit) {
        if (limit.by() != null) {
            return true;
        }
        String rule = limit.label().rule();
        return plan.limits().stream()
                        .anyMatch(own -> own.parts().settle() != null
                                && own.parts().rule().equals(rule))
                && reservation.limits().stream()
                        .noneMatch(other ->
                                other.by() != null && other.label().rule().equals(rule))
                && claims.stream()
                        .filter(claim -> claim.rule().id().equals(rule))
                        .flatMap(claim -> claim.rule().limits().stream())
                        .filter(own -> own.id().equals(limit.id()))
                        .map(RuleLimit::cost)
                        .noneMatch(cost -> cost.isPresent());
    }

    private void tell(String rule) {
        for (PlannedLimit limit : plan.limits()) {
            if (limit.parts().rule().equals(rule) && limit.firstWithoutFigure()) {
                RuntimeException why = missing;
                String problem = limit.parts().settle() == null
                        ? "settle: none, but rule " + rule
                                + " reserves (expected: the real cost, such as #result.usage.totalTokens)"
                        : why == null ? "settle: no result (expected: at least one)" : why.getMessage();
                LOG.warn(limit.parts().where() + ": " + problem
                        + "; what calls reserved stands. Later calls are counted, not logged");
            }
        }
    }
}
