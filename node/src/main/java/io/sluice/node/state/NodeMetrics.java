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
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The metrics of a node as Prometheus reads them. Safe for use by many threads. */
public final class NodeMetrics {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RateLimitMetrics limits = RateLimitMetrics.ofSets(registry, DomainRules::rules, DomainRules::limits);
    private final GatewayMetrics gateway = new GatewayMetrics(registry);
    private final MultiGauge storeClients =
            storeGauge("redis_connected_clients", "Clients connected to the shared store");
    private final MultiGauge storeMemory =
            storeGauge("redis_used_memory", "Bytes that the data of the shared store take");
    private volatile @Nullable StorePulse pulse;

    /** Held here, because the registry holds what it asks only weakly. */
    @SuppressWarnings("UnusedVariable")
    private volatile LongSupplier droppedLines = () -> 0;

    /**
     * Adds what is read at the moment of a scrape.
     *
     * @param droppedLogLines how many lines of the log were dropped
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
                .description("Lines of the log that were dropped, because nobody took them in time")
                .register(registry);
        limits.watch(source, counts, store);
    }

    /** Those of decisions, the store and the rules. */
    public RateLimitMetrics limits() {
        return limits;
    }

    /** Those of the gateway. */
    public GatewayMetrics gateway() {
        return gateway;
    }

    /** What Prometheus reads. */
    public synchronized String scrape() {
        limits.forget();
        gateway.refresh();
        StorePulse known = pulse;
        Optional<StoreVitals> vitals = known == null ? Optional.empty() : known.last();
        show(storeClients, vitals.map(StoreVitals::connectedClients));
        show(storeMemory, vitals.map(StoreVitals::usedMemoryBytes));
        return registry.scrape();
    }

    /** A gauge of one row without labels, or of none: a plain gauge would have to show something while the store is away. */
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
