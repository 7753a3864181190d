package io.sluice.node.state;

import io.micrometer.core.instrument.FunctionCounter;
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

    /** Those of the gateway; nothing is shown of them before it is watched. */
    public GatewayMetrics gateway() {
        return gateway;
    }

    public String scrape() {
        limits.forget();
        StringBuilder text = new StringBuilder(registry.scrape());
        StorePulse known = pulse;
        Optional<StoreVitals> vitals = known == null ? Optional.empty() : known.last();
        vitals.ifPresent(now -> {
            gauge(text, "redis_connected_clients", "Clients connected to the shared store", now.connectedClients());
            gauge(text, "redis_used_memory", "Bytes that the data of the shared store take", now.usedMemoryBytes());
        });
        gateway.scrape(text);
        return text.toString();
    }

    /** By hand, because it is there at times and at times not. */
    private static void gauge(StringBuilder text, String name, String help, long value) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(" gauge\n");
        text.append(name).append(' ').append(value).append('\n');
    }
}
