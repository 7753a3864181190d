package io.sluice.runtime.fleet;

import io.sluice.core.time.Clock;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DataSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Lets the data of this process travel with its reports. */
public final class DataPart implements FleetPart {

    private final DataOutbox outbox;
    private final Clock clock;
    private final List<DataSource> sources = new CopyOnWriteArrayList<>();
    private volatile boolean flushed;

    public DataPart(DataOutbox outbox, Clock clock) {
        this.outbox = outbox;
        this.clock = clock;
    }

    /** Adds a part of the process that collects data. */
    public void add(DataSource source) {
        sources.add(source);
    }

    @Override
    public NodeReport addTo(NodeReport report) {
        return report.with(outbox.report(clock.epochMicros() / 1_000));
    }

    @Override
    public void heard(Fleet fleet) {
        fleet.stored().ifPresent(outbox::stored);
    }

    @Override
    public void closing() {
        sources.forEach(DataSource::flush);
        flushed = true;
    }

    /** Until the sources are flushed, they may have something. */
    @Override
    public boolean hasMore() {
        return outbox.hasMore() || (!flushed && !sources.isEmpty());
    }

    @Override
    public List<String> findings() {
        return List.of();
    }
}
