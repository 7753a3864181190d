package io.sluice.rules.evaluate;

import io.sluice.core.Limiter;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.reserve.SettledLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One reservation that is being settled, at the engines that counted it. For one use only. */
final class Settling {

    private final Reservation reservation;
    private final Limiter local;
    private final @Nullable Limiter shared;

    private final List<ReservedLimit> limits = new ArrayList<>();
    private final List<Settlement> settlements = new ArrayList<>();
    private final List<Integer> here = new ArrayList<>();
    private final List<Integer> inStore = new ArrayList<>();

    /** @param issuer names this process; limits that another process counts itself are unknown here */
    Settling(
            Reservation reservation, Map<String, Long> actual, String issuer, Limiter local, @Nullable Limiter shared) {
        this.reservation = reservation;
        this.local = local;
        this.shared = shared;
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
        for (ReservedLimit limit : reservation.limits()) {
            Long figure = actual.get(limit.id());
            if (figure != null) {
                add(limit, figure, issuer);
            }
        }
    }

    private void add(ReservedLimit limit, long figure, String issuer) {
        int position = limits.size();
        limits.add(limit);
        settlements.add(reservation.settlement(limit, figure));
        if (limit.inStore() && shared != null) {
            inStore.add(position);
        } else if (!limit.inStore() && reservation.issuer().equals(issuer)) {
            here.add(position);
        }
    }

    CompletionStage<List<SettledLimit>> settle(Duration atMost) {
        SettlementResult[] results = new SettlementResult[limits.size()];
        return settle(local, here, results, atMost)
                .thenCombine(settle(shared, inStore, results, atMost), (a, b) -> settled(results));
    }

    private CompletionStage<?> settle(
            @Nullable Limiter limiter, List<Integer> positions, SettlementResult[] results, Duration atMost) {
        return limiter == null || positions.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : limiter.settle(positions.stream().map(settlements::get).toList(), atMost)
                        .thenAccept(own -> {
                            for (int i = 0; i < own.size(); i++) {
                                results[positions.get(i)] = own.get(i);
                            }
                        });
    }

    private List<SettledLimit> settled(@Nullable SettlementResult[] results) {
        List<SettledLimit> settled = new ArrayList<>(results.length);
        for (int i = 0; i < results.length; i++) {
            SettlementResult result = results[i];
            settled.add(new SettledLimit(
                    limits.get(i), settlements.get(i).actual(), result == null ? SettlementResult.UNKNOWN : result));
        }
        return settled;
    }
}
