package io.sluice.rules.evaluate;

import io.sluice.core.Limiter;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.reserve.SettledLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The settlement of one reservation at the engines that counted it. Used once. */
final class Settling {

    private final Reservation reservation;
    private final Limiter local;
    private final @Nullable Limiter shared;

    private final List<ReservedLimit> limits = new ArrayList<>();
    private final List<Settlement> settlements = new ArrayList<>();
    private final List<Integer> here = new ArrayList<>();
    private final List<Integer> inStore = new ArrayList<>();
    private final Map<Integer, SettlementResult> results = new ConcurrentHashMap<>();

    /**
     * @param actual the real figures; limits without a figure stay as they are
     * @param issuer the name of this process; limits that another process counts itself are unknown here
     */
    Settling(
            Reservation reservation,
            Map<ReservedLimit, Long> actual,
            String issuer,
            Limiter local,
            @Nullable Limiter shared) {
        this.reservation = reservation;
        this.local = local;
        this.shared = shared;
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
        if (limit.inStore() && shared != null) {
            inStore.add(position);
        } else if (!limit.inStore() && reservation.issuer().equals(issuer)) {
            here.add(position);
        } else {
            results.put(position, SettlementResult.UNKNOWN);
        }
    }

    /**
     * Settles the reservation. The stage completes when all engines have answered or failed, exceptionally if one has failed.
     */
    CompletionStage<List<SettledLimit>> settle(Duration atMost) {
        return settle(local, here, atMost).thenCombine(settle(shared, inStore, atMost), (a, b) -> settled());
    }

    private CompletionStage<?> settle(@Nullable Limiter limiter, List<Integer> positions, Duration atMost) {
        return limiter == null || positions.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : limiter.settle(positions.stream().map(settlements::get).toList(), atMost)
                        .thenAccept(own -> {
                            for (int i = 0; i < own.size(); i++) {
                                results.put(positions.get(i), own.get(i));
                            }
                        });
    }

    /** Returns the results for the limits whose engines have answered, in the order of the reservation. */
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

    /** Returns the limits whose engines have failed. Empty if none has. */
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
