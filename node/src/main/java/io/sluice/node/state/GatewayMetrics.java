package io.sluice.node.state;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.sluice.node.gateway.OpenGateway;
import io.sluice.node.gateway.upstream.UpstreamHealth;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The gateway's metrics. Thread-safe; a request costs a map lookup and two additions.
 *
 * <p>Labels are the configured names of routes, services and upstreams, and classes of statuses. Series come and go with the
 * configuration, so {@link #refresh} updates the registry before each scrape.
 */
public final class GatewayMetrics implements OpenGateway.AnswerListener {

    /** Classes 1xx to 5xx, and 0 for callers who disconnected. */
    private static final int CLASSES = 6;

    private static final int LEFT = 499;

    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30)
    };

    /** Counters by class of status, then by route. */
    private final List<Map<String, Counter>> answered = Stream.<Map<String, Counter>>generate(ConcurrentHashMap::new)
            .limit(CLASSES)
            .toList();

    private final MeterRegistry registry;
    private final MultiGauge healthy;
    private final Timer duration;
    private volatile Supplier<Set<String>> routes = Set::of;
    private volatile Supplier<List<UpstreamHealth>> upstreams = List::of;
    private volatile boolean watching;

    GatewayMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.healthy = MultiGauge.builder("sluice_gateway_upstream_healthy")
                .description("1 while the upstream is healthy and receives requests")
                .register(registry);
        this.duration = Timer.builder("sluice_gateway_duration")
                .description("Time from the head of a request to the end of its answer")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    /** Adds the gateway's current routes and servers. */
    public void watch(Supplier<Set<String>> itsRoutes, Supplier<List<UpstreamHealth>> itsUpstreams) {
        routes = itsRoutes;
        upstreams = itsUpstreams;
        watching = true;
    }

    @Override
    public void answered(String route, int status, long nanos) {
        int statusClass = status == LEFT ? 0 : Math.max(1, Math.min(CLASSES - 1, status / 100));
        Map<String, Counter> counters = answered.get(statusClass);
        Counter counter = counters.get(route);
        if (counter == null) {
            counter = counters.computeIfAbsent(route, name -> newCounter(name, statusClass));
        }
        counter.increment();
        duration.record(nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Removes the series of routes and upstreams that are gone, and updates the health of the others. A request in flight may
     * bring back the series of a removed route, so this runs before each scrape. Called by one thread at a time.
     */
    void refresh() {
        if (!watching) {
            return;
        }
        Set<String> known = routes.get();
        for (Map<String, Counter> counters : answered) {
            for (String route : counters.keySet()) {
                if (!route.isEmpty() && !known.contains(route)) {
                    counters.computeIfPresent(route, this::remove);
                }
            }
        }
        healthy.register(upstreams.get().stream().map(GatewayMetrics::row).toList(), true);
    }

    /** Called under the map's lock, so that no request can find a counter that the registry no longer has. */
    private @Nullable Counter remove(String route, Counter counter) {
        registry.remove(counter);
        return null;
    }

    private Counter newCounter(String route, int statusClass) {
        return Counter.builder("sluice_gateway_requests")
                .description("Requests through the gateway, by route and class of the answer's status")
                .tags("route", route, "status", statusClass == 0 ? "left" : statusClass + "xx")
                .register(registry);
    }

    private static MultiGauge.Row<Number> row(UpstreamHealth server) {
        return MultiGauge.Row.of(
                Tags.of("service", server.service(), "upstream", server.upstream()), server.healthy() ? 1 : 0);
    }
}
