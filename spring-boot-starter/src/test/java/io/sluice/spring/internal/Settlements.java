package io.sluice.spring.internal;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.SettledLimit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Records what became of reservations, such as {@code tokens.all 100 -> 30} or {@code tokens.all 100 no-figure}. */
public final class Settlements implements RulingListener {

    private final List<String> all = new CopyOnWriteArrayList<>();
    private final AtomicInteger rulings = new AtomicInteger();

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        rulings.incrementAndGet();
    }

    @Override
    public void settled(SettledLimit settled) {
        all.add(settled.limit().id() + " " + settled.limit().reserved() + " -> " + settled.actual());
    }

    @Override
    public void unsettled(Reservation reservation, String reason) {
        reservation.limits().forEach(limit -> all.add(limit.id() + " " + limit.reserved() + " " + reason));
    }

    /** Returns how many requests were decided. */
    public int rulings() {
        return rulings.get();
    }

    public List<String> all() {
        return all;
    }
}
