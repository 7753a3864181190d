package io.sluice.runtime;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.reserve.SettledLimit;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Counts reservations and their outcomes, each once for every limit that it reserves permits of. Thread-safe.
 *
 * <p>A reservation may be settled by another process than the one that made it. So the number of open
 * reservations is only meaningful for the whole fleet, as the sum over all processes.
 */
final class ReservationMetrics {

    private final MeterRegistry registry;
    private final ConcurrentHashMap<Series, Counter> counters = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Series, Open> open = new ConcurrentHashMap<>();

    ReservationMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    void made(Reservation reservation) {
        for (ReservedLimit limit : reservation.limits()) {
            counter(Name.MADE, limit.label(), "").increment();
            if (isDue(limit)) {
                open(limit.label()).increment();
            }
        }
    }

    void settled(SettledLimit settled) {
        Kind kind = settled.result().kind();
        Label label = settled.limit().label();
        counter(Name.SETTLED, label, word(kind)).increment();
        if (kind == Kind.SETTLED && isDue(settled.limit())) {
            open(label).decrement();
        }
    }

    /** Returns whether the cost of the limit defines how it is settled. Nothing is lost if others are not settled. */
    private static boolean isDue(ReservedLimit limit) {
        return limit.by() != null;
    }

    void unsettled(Reservation reservation, String reason) {
        for (ReservedLimit limit : reservation.limits()) {
            counter(Name.UNSETTLED, limit.label(), reason).increment();
        }
    }

    /** Removes the series of rules and limits that are not known. */
    void forget(BiPredicate<String, String> known) {
        for (Series series : List.copyOf(counters.keySet())) {
            if (!known.test(series.rule, series.limit)) {
                counters.computeIfPresent(series, (own, counter) -> remove(counter));
            }
        }
        for (Series series : List.copyOf(open.keySet())) {
            if (!known.test(series.rule, series.limit)) {
                open.computeIfPresent(series, (own, gauge) -> gauge.removeFrom(registry));
            }
        }
    }

    private @Nullable Counter remove(Counter counter) {
        registry.remove(counter);
        return null;
    }

    /** @param detail the value of the name's own label; empty if it has none */
    private Counter counter(Name name, Label label, String detail) {
        return counters.computeIfAbsent(new Series(name, label.rule(), label.limit(), detail), series -> {
            Counter.Builder counter = Counter.builder(name.metric)
                    .description(name.description)
                    .tag("rule", series.rule)
                    .tag("limit", series.limit);
            return (name.tag.isEmpty() ? counter : counter.tag(name.tag, detail)).register(registry);
        });
    }

    private LongAdder open(Label label) {
        return open.computeIfAbsent(new Series(Name.MADE, label.rule(), label.limit(), ""), series -> {
                    LongAdder count = new LongAdder();
                    return new Open(
                            count,
                            Gauge.builder("sluice_reservations_open", count, LongAdder::sum)
                                    .description("Reservations that were made here less those that were settled here")
                                    .tag("rule", series.rule)
                                    .tag("limit", series.limit)
                                    .register(registry));
                })
                .count;
    }

    private enum Name {
        MADE("sluice_reservations", "", "Reservations that were made"),
        SETTLED(
                "sluice_settlements",
                "result",
                "Real figures that were reported for reservations, by what became of them"),
        UNSETTLED(
                "sluice_reservations_unsettled", "reason", "Reservations that stand because they could not be settled");

        private final String metric;
        private final String tag;
        private final String description;

        Name(String metric, String tag, String description) {
            this.metric = metric;
            this.tag = tag;
            this.description = description;
        }
    }

    private record Series(Name name, String rule, String limit, String detail) {}

    private record Open(LongAdder count, Meter gauge) {

        @Nullable
        Open removeFrom(MeterRegistry registry) {
            registry.remove(gauge);
            return null;
        }
    }

    private static String word(Kind kind) {
        return switch (kind) {
            case SETTLED -> "settled";
            case REPEATED -> "repeated";
            case CONFLICT -> "conflict";
            case UNKNOWN -> "unknown";
        };
    }
}
