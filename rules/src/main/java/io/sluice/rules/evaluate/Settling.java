package io.sluice.rules.evaluate;

import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.rules.side.Side;
import io.sluice.rules.side.Sides;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The settlement of one reservation at the sides that counted it. Used once. */
final class Settling {

    private final Reservation reservation;
    private final Sides sides;

    private final List<ReservedLimit> limits = new ArrayList<>();
    private final List<Settlement> settlements = new ArrayList<>();
    private final Map<Side, List<Integer>> positions = new LinkedHashMap<>();
    private final Map<Integer, SettlementResult> results = new ConcurrentHashMap<>();

    /**
     * @param actual the real figures; limits without a figure stay as they are
     * @param issuer the name of this process; limits that another process counts itself are unknown here
     */
    Settling(Reservation reservation, Map<ReservedLimit, Long> actual, String issuer, Sides sides) {
        this.reservation = reservation;
        this.sides = sides;
        for (ReservedLimit limit : reservation.limits()) {
            Long figure = actual.get(limit);
            if (figure != null) {
                add(limit, figure, issuer);
            }
        }
    }

    /**
     * Returns the figures of the limits that have these names.
     *
     * @throws IllegalArgumentException if the reservation has no limit with such a name
     */
    static Map<ReservedLimit, Long> named(Map<String, Long> actual, Reservation reservation) {
        for (String id : actual.keySet()) {
            if (reservation.limit(id).isEmpty()) {
                throw new IllegalArgumentException("actual: " + id + " (expected: a limit of the reservation, "
                        + String.join(
                                ", ",
                                reservation.limits().stream()
                                        .map(ReservedLimit::id)
                                        .toList()) + ")");
            }
        }
        Map<ReservedLimit, Long> figures = new HashMap<>();
        for (ReservedLimit limit : reservation.limits()) {
            Long figure = actual.get(limit.id());
            if (figure != null) {
                figures.put(limit, figure);
            }
        }
        return figures;
    }

    private void add(ReservedLimit limit, long figure, String issuer) {
        int position = limits.size();
        limits.add(limit);
        settlements.add(reservation.settlement(limit, figure));
        Optional<Side> side = sides.find(limit.side())
                .filter(found -> found.remote() || reservation.issuer().equals(issuer));
        if (side.isPresent()) {
            positions.computeIfAbsent(side.get(), first -> new ArrayList<>()).add(position);
        } else {
            results.put(position, SettlementResult.UNKNOWN);
        }
    }

    /**
     * Settles the reservation. The stage completes when all sides have answered or failed, exceptionally if one has failed.
     *
     * @param atMost the maximum time of each side
     */
    CompletionStage<List<SettledLimit>> settle(Function<Side, Duration> atMost) {
        CompletionStage<?> done = CompletableFuture.completedFuture(null);
        for (Map.Entry<Side, List<Integer>> own : positions.entrySet()) {
            Duration most = atMost.apply(own.getKey());
            done = done.thenCombine(settle(own.getKey(), own.getValue(), most), (a, b) -> b);
        }
        return done.thenApply(last -> settled());
    }

    private CompletionStage<?> settle(Side side, List<Integer> own, Duration atMost) {
        List<Settlement> some = own.stream().map(settlements::get).toList();
        return side.limiter().settle(some, atMost).thenAccept(answers -> {
            for (int i = 0; i < answers.size(); i++) {
                results.put(own.get(i), answers.get(i));
            }
        });
    }

    /** Returns the results for the limits whose sides have answered, in the order of the reservation. */
    List<SettledLimit> settled() {
        List<SettledLimit> settled = new ArrayList<>(limits.size());
        for (int i = 0; i < limits.size(); i++) {
            SettlementResult result = results.get(i);
            if (result != null) {
                settled.add(new SettledLimit(limits.get(i), settlements.get(i).actual(), result));
            }
        }
        return settled;
    }

    /** Returns the limits whose sides have failed. Empty if none has. */
    Optional<Reservation> failed() {
        List<ReservedLimit> failed = new ArrayList<>();
        for (int i = 0; i < limits.size(); i++) {
            if (!results.containsKey(i)) {
                failed.add(limits.get(i));
            }
        }
        return failed.isEmpty()
                ? Optional.empty()
                : Optional.of(new Reservation(reservation.id(), reservation.issuer(), failed));
    }
}
