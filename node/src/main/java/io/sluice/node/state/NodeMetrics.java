package io.sluice.node.state;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.core.local.LocalEngine;
import io.sluice.envoy.descriptor.DomainRules;
import io.sluice.redis.store.StoreVitals;
import io.sluice.rules.source.RuleSource;
import io.sluice.runtime.RateLimitMetrics;
import io.sluice.runtime.StorePulse;
import io.sluice.runtime.StoreWatch;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The metrics of a node, for Prometheus. Thread-safe. */
public final class NodeMetrics {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RateLimitMetrics limits = RateLimitMetrics.ofSets(registry, DomainRules::rules, DomainRules::limits);
    private final GatewayMetrics gateway = new GatewayMetrics(registry);
    private final MultiGauge storeClients =
            storeGauge("redis_connected_clients", "Clients connected to the shared store");
    private final MultiGauge storeMemory =
            storeGauge("redis_used_memory", "Bytes of memory that the shared store uses");
    private volatile @Nullable StorePulse pulse;

    /** Kept here, because the registry holds only a weak reference. */
    @SuppressWarnings("UnusedVariable")
    private volatile LongSupplier droppedLines = () -> 0;

    /** Kept here for the same reason. */
    private final List<LongSupplier> refusedConnections = new CopyOnWriteArrayList<>();

    /**
     * Adds what is read at each scrape.
     *
     * @param droppedLogLines how many log lines were dropped
     */
    public void watch(
            RuleSource source,
            LocalEngine counts,
            StoreWatch store,
            @Nullable StorePulse storePulse,
            LongSupplier droppedLogLines) {
        pulse = storePulse;
        droppedLines = droppedLogLines;
        FunctionCounter.builder("sluice_log_dropped", droppedLogLines, LongSupplier::getAsLong)
                .description("Log lines that were dropped because the output could not keep up")
                .register(registry);
        limits.watch(source, counts, store);
    }

    /**
     * Adds the count of connections that a port refused.
     *
     * @param door the name of the port in the metric
     */
    public void watchRefusedConnections(String door, LongSupplier refused) {
        refusedConnections.add(refused);
        FunctionCounter.builder("sluice_connections_refused", refused, LongSupplier::getAsLong)
                .description("Connections that were closed at once because the port had too many")
                .tag("door", door)
                .register(registry);
    }

    /** Returns the metrics of decisions, the store and the rules. */
    public RateLimitMetrics limits() {
        return limits;
    }

    /** Returns the metrics of the gateway. */
    public GatewayMetrics gateway() {
        return gateway;
    }

    /** Returns the text that Prometheus reads. */
    public synchronized String scrape() {
        limits.forget();
        gateway.refresh();
        StorePulse known = pulse;
        Optional<StoreVitals> vitals = known == null ? Optional.empty() : known.last();
        show(storeClients, vitals.map(StoreVitals::connectedClients));
        show(storeMemory, vitals.map(StoreVitals::usedMemoryBytes));
        return registry.scrape();
    }

    /** Shows one row without labels, or none while the store is unavailable; a plain gauge would always have to show a value. */
    private static void show(MultiGauge gauge, Optional<Long> value) {
        gauge.register(
                value.map(number -> MultiGauge.Row.of(Tags.empty(), number)).stream()
                        .toList(),
                true);
    }

    private MultiGauge storeGauge(String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }
}
