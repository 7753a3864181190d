package io.sluice.node.state;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.envoy.descriptor.DomainRules;
import io.sluice.redis.store.StoreVitals;
import io.sluice.runtime.RateLimitMetrics;
import io.sluice.runtime.StoreFigure;
import io.sluice.runtime.StorePulse;
import io.sluice.runtime.participant.Participant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The metrics of a node, for Prometheus and, if it has one, for another registry. Thread-safe. */
public final class NodeMetrics {

    private final PrometheusMeterRegistry scraped = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MeterRegistry registry;
    private final RateLimitMetrics limits;
    private final GatewayMetrics gateway;
    private final Map<StoreFigure, MultiGauge> storeGauges = new EnumMap<>(StoreFigure.class);
    private final Map<StoreFigure, FunctionCounter> storeCounters = new EnumMap<>(StoreFigure.class);
    private volatile @Nullable StorePulse pulse;
    private volatile LongSupplier droppedSpans = () -> 0;

    /** Kept here, because the registry holds only a weak reference. */
    @SuppressWarnings("UnusedVariable")
    private volatile LongSupplier droppedLines = () -> 0;

    /** Kept here for the same reason. */
    private final List<LongSupplier> recording = new CopyOnWriteArrayList<>();

    /** Kept here for the same reason. */
    private final List<LongSupplier> refusedConnections = new CopyOnWriteArrayList<>();

    public NodeMetrics() {
        this(Optional.empty());
    }

    /** @param pushed a registry that also gets all metrics */
    public NodeMetrics(Optional<MeterRegistry> pushed) {
        registry = pushed.isEmpty()
                ? scraped
                : new CompositeMeterRegistry().add(scraped).add(pushed.get());
        limits = RateLimitMetrics.ofSets(registry, DomainRules::rules, DomainRules::limits);
        gateway = new GatewayMetrics(registry);
        for (StoreFigure figure : StoreFigure.values()) {
            if (!figure.isCounter()) {
                storeGauges.put(
                        figure,
                        MultiGauge.builder(figure.metric())
                                .description(figure.description())
                                .register(registry));
            }
        }
    }

    /** Adds the count of spans that were dropped. */
    public void watchSpans(LongSupplier dropped) {
        droppedSpans = dropped;
        FunctionCounter.builder("rate_limit_spans_dropped", this, metrics -> metrics.droppedSpans.getAsLong())
                .description("Spans that were dropped because the receiver did not take them in time")
                .register(registry);
    }

    /**
     * Adds the values that are read at each scrape.
     *
     * @param droppedLogLines returns the number of dropped log lines
     */
    public void watch(Participant participant, LongSupplier droppedLogLines) {
        pulse = participant.engines().pulse();
        droppedLines = droppedLogLines;
        FunctionCounter.builder("sluice_log_dropped", droppedLogLines, LongSupplier::getAsLong)
                .description("Log lines that were dropped because the output could not keep up")
                .register(registry);
        participant.measure(limits);
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

    /** Adds the number of recorded events and requests, and the number missing in the recording. */
    public void watchRecording(LongSupplier recorded, LongSupplier dropped) {
        recording.add(recorded);
        recording.add(dropped);
        FunctionCounter.builder("rate_limit_recording_events", recorded, LongSupplier::getAsLong)
                .description("Steps on counts and requests that were recorded")
                .register(registry);
        FunctionCounter.builder("rate_limit_recording_dropped", dropped, LongSupplier::getAsLong)
                .description(
                        "Steps on counts and requests that are missing in the recording, because there was no room")
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
        refresh();
        return scraped.scrape();
    }

    /** Removes series that no longer exist and adds new ones. A scrape does this by itself. */
    public synchronized void refresh() {
        limits.forget();
        gateway.refresh();
        StorePulse known = pulse;
        Optional<StoreVitals> vitals = known == null ? Optional.empty() : known.last();
        storeGauges.forEach((figure, gauge) -> show(gauge, vitals.map(figure::of)));
        if (known != null) {
            for (StoreFigure figure : StoreFigure.values()) {
                if (figure.isCounter()) {
                    show(figure, known, vitals.isPresent() && !Double.isNaN(figure.of(vitals.get())));
                }
            }
        }
    }

    private void show(StoreFigure figure, StorePulse known, boolean present) {
        if (present) {
            storeCounters.computeIfAbsent(figure, each -> FunctionCounter.builder(each.metric(), known, each::last)
                    .description(each.description())
                    .register(registry));
        } else {
            FunctionCounter gone = storeCounters.remove(figure);
            if (gone != null) {
                registry.remove(gone);
            }
        }
    }

    /** Shows one row without labels, or no row while the figure is unknown; a plain gauge would always have to show a value. */
    private static void show(MultiGauge gauge, Optional<Double> value) {
        gauge.register(
                value.filter(number -> !number.isNaN()).map(number -> MultiGauge.Row.of(Tags.empty(), number)).stream()
                        .toList(),
                true);
    }
}
