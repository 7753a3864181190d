package io.sluice.runtime;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.redis.store.StoreVitals;
import java.util.function.ToDoubleFunction;

/** A figure that the store's servers report about themselves, as a metric. */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state
public enum StoreFigure {
    CLIENTS("redis_connected_clients", "Clients connected to the shared store", StoreVitals::connectedClients),
    MEMORY("redis_used_memory", "Bytes of memory that the shared store uses", StoreVitals::usedMemoryBytes),
    MAX_MEMORY(
            "redis_max_memory",
            "Bytes of memory that the shared store may use; 0 if a server has no maximum",
            StoreVitals::maxMemoryBytes),
    CPU("redis_cpu_seconds", "Processor time of the shared store's servers", StoreVitals::cpuSeconds),
    SLOW_LOG("redis_slowlog_length", "Entries in the slow log of the shared store", StoreVitals::slowLogLength),
    EVICTED("redis_evicted_keys", "Keys that the shared store has evicted", StoreVitals::evictedKeys),
    REPLICAS("redis_connected_replicas", "Replicas connected to the shared store", StoreVitals::connectedReplicas),
    LAG_BYTES(
            "redis_replication_lag_bytes",
            "Bytes that the slowest replica of the shared store is behind",
            StoreVitals::lagBytes),
    LAG_SECONDS(
            "redis_replication_lag_seconds",
            "Seconds since the slowest replica of the shared store has acknowledged",
            StoreVitals::lagSeconds);

    private final String metric;
    private final String description;
    private final ToDoubleFunction<StoreVitals> number;

    StoreFigure(String metric, String description, ToDoubleFunction<StoreVitals> number) {
        this.metric = metric;
        this.description = description;
        this.number = number;
    }

    /** Returns the name of the metric, without the ending that a registry adds to counters. */
    public String metric() {
        return metric;
    }

    public String description() {
        return description;
    }

    /** Returns whether the figure only grows while the servers run. */
    public boolean isCounter() {
        return this == CPU || this == EVICTED;
    }

    /** Returns the figure; NaN if it is unknown. */
    public double of(StoreVitals vitals) {
        return number.applyAsDouble(vitals);
    }

    /** Adds the figure to a registry. It is NaN while it is unknown. The caller keeps the pulse reachable. */
    public void register(MeterRegistry registry, StorePulse pulse) {
        if (isCounter()) {
            FunctionCounter.builder(metric, pulse, this::last)
                    .description(description)
                    .register(registry);
        } else {
            Gauge.builder(metric, pulse, this::last)
                    .description(description)
                    .strongReference(true)
                    .register(registry);
        }
    }

    /** Returns the last figure; NaN if it is unknown. */
    public double last(StorePulse pulse) {
        return pulse.last().map(this::of).orElse(Double.NaN);
    }
}
