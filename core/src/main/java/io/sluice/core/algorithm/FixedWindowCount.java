package io.sluice.core.algorithm;

import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.Windows.Window;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;

/** The permits admitted in one window. */
final class FixedWindowCount extends Count {

    private FixedWindow limit;
    private long startMicros;
    private long used;

    /** The window that {@link #grant} found. */
    private Window window;

    private long windowUsed;
    private long windowMicros;

    FixedWindowCount(FixedWindow limit) {
        this.limit = limit;
        this.window = limit.windows().at(0);
    }

    @Override
    public long grant(Demand demand, long nowMicros) {
        limit = (FixedWindow) demand.limit();
        age(nowMicros);
        return ofRoom(demand, room(windowUsed));
    }

    @Override
    public Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros) {
        long after = windowUsed + (charged ? grant : 0);
        long left = window.endMicros() - nowMicros;
        boolean never = demand.needed() > limit.capacity();
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                room(after),
                grant > 0 ? 0 : never ? Verdict.NEVER : left,
                after == 0 ? 0 : left,
                0,
                windowMicros,
                isKept(demand, grant, room(windowUsed)));
    }

    @Override
    public void charge(Demand demand, long granted, long nowMicros) {
        startMicros = window.startMicros();
        used = windowUsed + granted;
    }

    @Override
    public void refuse(long nowMicros) {
        if (used > 0 && window.startMicros() < startMicros) {
            startMicros = window.startMicros();
        }
    }

    @Override
    public void giveBack(Charge charge, long nowMicros) {
        age(nowMicros);
        startMicros = window.startMicros();
        used = window.contains(charge.chargedAtMicros()) ? Math.max(0, windowUsed - charge.permits()) : windowUsed;
    }

    @Override
    public long settle(Settlement settlement, long nowMicros) {
        if (settlement.more() == 0) {
            return 0;
        }
        age(nowMicros);
        startMicros = window.startMicros();
        boolean counts = settlement.more() > 0 || window.contains(settlement.chargedAtMicros());
        used = counts ? settled(windowUsed, settlement.more()) : windowUsed;
        return used - windowUsed;
    }

    @Override
    public boolean isUnused(long nowMicros) {
        return used == 0 || startMicros < limit.windows().at(nowMicros).startMicros();
    }

    private void age(long nowMicros) {
        window = limit.windows().at(nowMicros);
        windowMicros = nowMicros;
        if (used == 0 || startMicros < window.startMicros()) {
            windowUsed = 0;
            return;
        }
        windowUsed = used;
        if (startMicros > window.startMicros() && !StepBack.rebases(startMicros, nowMicros)) {
            window = limit.windows().at(startMicros);
            windowMicros = startMicros;
        }
    }

    private long room(long counted) {
        return Math.max(0, limit.capacity() - counted);
    }
}
