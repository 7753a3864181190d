package io.sluice.node.gateway.chain;

import io.sluice.http.figure.AnswerFigures;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.proxy.Forwarder;
import io.sluice.rules.cost.AnswerAttribute;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settles the reservation of one request when the request has ended, so that settling delays nothing. Used only by its event loop.
 *
 * <ul>
 *   <li>If no upstream has seen the request, everything is given back.
 *   <li>Otherwise the figures of the answer are settled. If the answer broke off, the figures that had arrived are settled.
 *   <li>A limit whose figure is missing keeps its reservation.
 * </ul>
 */
final class AnswerSettlement implements Forwarder.AnswerWatch {

    /** The reasons why a reservation stands: the answer is complete and has no figure, or it broke off before the figure. */
    static final String NO_FIGURE = "no-figure";

    static final String ABORTED = "aborted";

    private static final Duration MAY_TAKE = Duration.ofMinutes(1);
    private static final String ACCEPT_ENCODING = "accept-encoding";

    private final Evaluator evaluator;
    private final Reservation reservation;
    private final GatewayExchange exchange;
    private final FailureLog failures;
    private final Set<AnswerAttribute> wanted;
    private @Nullable AnswerFigures figures;
    private boolean sent;
    private boolean complete;

    AnswerSettlement(Evaluator evaluator, Reservation reservation, GatewayExchange exchange, FailureLog failures) {
        this.evaluator = evaluator;
        this.reservation = reservation;
        this.exchange = exchange;
        this.failures = failures;
        this.wanted = reservation.answerAttributes();
    }

    /** Prepares the request, and settles when it has ended. */
    void begin() {
        if (AnswerFigures.areInBody(wanted)) {
            askForReadableAnswer();
        }
        exchange.whenOver(this::over);
    }

    /** Callers must not escape the settlement by requesting an answer that cannot be read, in another encoding or only in part. */
    private void askForReadableAnswer() {
        List<String> accepted = exchange.request().headers().getAll(ACCEPT_ENCODING);
        if (!accepted.isEmpty()) {
            exchange.forwardHeaders().set(ACCEPT_ENCODING, acceptsGzip(accepted) ? "gzip" : "identity");
        }
        exchange.withhold("range");
    }

    private static boolean acceptsGzip(List<String> lines) {
        for (String coding : String.join(",", lines).toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parts = coding.replace(" ", "").split(";", 2);
            boolean refused = parts.length > 1 && parts[1].matches("q=0(\\.0*)?");
            if (parts[0].equals("gzip") && !refused) {
                return true;
            }
        }
        return false;
    }

    /** Called when the request is sent to an upstream. */
    void sent() {
        sent = true;
    }

    /** Called when that upstream has not seen the request. */
    void unseen() {
        sent = false;
    }

    /** Called with the head of the answer. */
    Forwarder.AnswerWatch watch(int status, MultiMap headers) {
        AnswerFigures own = new AnswerFigures(wanted);
        own.head(status, headers::getAll);
        figures = own;
        return this;
    }

    @Override
    public void piece(Buffer piece) {
        if (figures != null && figures.wantsBody()) {
            figures.piece(piece.getBytes());
        }
    }

    @Override
    public void complete() {
        if (figures != null) {
            figures.end();
        }
        complete = true;
    }

    private void over() {
        Map<String, Long> actual = sent ? reservation.actual(known()) : nothing();
        List<ReservedLimit> standing = reservation.limits().stream()
                .filter(limit -> !actual.containsKey(limit.id()))
                .toList();
        if (!standing.isEmpty()) {
            evaluator.unsettled(
                    new Reservation(reservation.id(), reservation.issuer(), standing), complete ? NO_FIGURE : ABORTED);
        }
        if (!actual.isEmpty()) {
            var unused = evaluator.settle(reservation, actual, MAY_TAKE).exceptionally(failure -> {
                failures.told(exchange, "settling a reservation (it stands)", failure);
                return List.of();
            });
        }
    }

    private Map<AnswerAttribute, Long> known() {
        AnswerFigures read = figures;
        if (read == null) {
            return Map.of();
        }
        read.close();
        return read.figures();
    }

    private Map<String, Long> nothing() {
        Map<String, Long> actual = new HashMap<>();
        reservation.limits().forEach(limit -> actual.put(limit.id(), 0L));
        return actual;
    }
}
