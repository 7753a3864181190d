package io.sluice.spring.web;

import io.sluice.http.figure.AnswerFigures;
import io.sluice.rules.cost.AnswerAttribute;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settles the reservations of one request, by the figures in its response. It reads the body while the application writes it,
 * and does not store it. The response does not wait for the settlement. Thread-safe; never throws.
 *
 * <p>If the response breaks off, the figures up to that point are settled. If the figure for a limit is missing, its
 * reservation stays charged.
 */
public final class AnswerSettlement {

    private static final String ABORTED = "aborted";
    private static final Duration MAY_TAKE = Duration.ofSeconds(30);

    private final Evaluator evaluator;
    private final List<Reservation> reservations = new ArrayList<>(1);
    private @Nullable AnswerFigures body;
    private boolean begun;
    private boolean over;

    public AnswerSettlement(Evaluator evaluator) {
        this.evaluator = evaluator;
    }

    /**
     * Adds a reservation of the request; does nothing if it is null. A reservation that comes after the response stays charged.
     */
    public void add(@Nullable Reservation reservation) {
        if (reservation == null) {
            return;
        }
        synchronized (this) {
            if (!over) {
                reservations.add(reservation);
                return;
            }
        }
        evaluator.unsettled(reservation, ABORTED);
    }

    /** Notes that the application is about to process the request. */
    public synchronized void begin() {
        begun = true;
    }

    /** Notes that the caller left. The reservations stay charged, unless the application has started to process the request. */
    public void abandon() {
        synchronized (this) {
            if (begun) {
                return;
            }
        }
        end(false, 0, name -> List.of());
    }

    /** Returns whether the body of the response is needed for the settlement. */
    public synchronized boolean wantsBody() {
        return !over && (body == null ? AnswerFigures.areInBody(wanted()) : body.wantsBody());
    }

    /**
     * Reads a piece of the body.
     *
     * @param headers returns all values of a header of the response
     */
    public synchronized void piece(byte[] bytes, Function<String, List<String>> headers) {
        if (wantsBody()) {
            AnswerFigures own = body;
            if (own == null) {
                own = new AnswerFigures(wanted());
                own.head(0, headers);
                body = own;
            }
            own.piece(bytes);
        }
    }

    /** Forgets the body, because the application starts another body. */
    public synchronized void restart() {
        if (body != null) {
            body.close();
            body = null;
        }
    }

    /**
     * Settles. Only the first call counts.
     *
     * @param complete whether the application has written the whole response
     * @param headers returns all values of a header of the response
     */
    public void end(boolean complete, int status, Function<String, List<String>> headers) {
        List<Reservation> due;
        Map<AnswerAttribute, Long> figures = new HashMap<>();
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            due = List.copyOf(reservations);
            if (due.isEmpty()) {
                return;
            }
            if (body != null) {
                if (complete) {
                    body.end();
                }
                body.close();
                figures.putAll(body.figures());
            }
            // Status and headers may have changed since the first piece of the body.
            try (AnswerFigures head = new AnswerFigures(wanted())) {
                head.head(status, headers);
                figures.putAll(head.figures());
            }
        }
        due.forEach(reservation -> settle(reservation, figures, complete));
    }

    private void settle(Reservation reservation, Map<AnswerAttribute, Long> figures, boolean complete) {
        Map<String, Long> actual = reservation.actual(figures);
        List<ReservedLimit> standing = reservation.limits().stream()
                .filter(limit -> !actual.containsKey(limit.id()))
                .toList();
        if (!actual.isEmpty()) {
            // The evaluator reports failures.
            var unused = evaluator.settle(reservation, actual, MAY_TAKE);
        }
        if (!standing.isEmpty()) {
            evaluator.unsettled(
                    new Reservation(reservation.id(), reservation.issuer(), standing),
                    complete ? "no-figure" : ABORTED);
        }
    }

    private Set<AnswerAttribute> wanted() {
        Set<AnswerAttribute> wanted = new LinkedHashSet<>();
        reservations.forEach(reservation -> wanted.addAll(reservation.answerAttributes()));
        return wanted;
    }
}
