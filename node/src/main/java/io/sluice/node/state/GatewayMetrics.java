package io.sluice.node.state;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.node.gateway.OpenGateway;
import io.sluice.node.gateway.upstream.UpstreamHealth;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Names the metrics of the gateway. Safe for use by many threads; a request costs a look-up in a map and two additions.
 *
 * <p>Labels are what the configuration calls routes, services and upstreams, and classes of statuses. Series are written by hand, because
 * they come and go with the configuration.
 */
public final class GatewayMetrics implements OpenGateway.AnswerListener {

    private static final String REQUESTS = "sluice_gateway_requests_total";
    private static final String HEALTHY = "sluice_gateway_upstream_healthy";

    /** From 1xx to 5xx, and at 0 those of callers who left. */
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

    private final Map<String, LongAdder[]> answered = new ConcurrentHashMap<>();
    private volatile Supplier<Set<String>> routes = Set::of;
    private volatile Supplier<List<UpstreamHealth>> upstreams = List::of;
    private volatile boolean watching;
    private final Timer duration;

    GatewayMetrics(MeterRegistry registry) {
        this.duration = Timer.builder("sluice_gateway_duration")
                .description("Time from the head of a request to the end of its answer")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    /** There is a gateway, and these are its routes and servers now. */
    public void watch(Supplier<Set<String>> itsRoutes, Supplier<List<UpstreamHealth>> itsUpstreams) {
        routes = itsRoutes;
        upstreams = itsUpstreams;
        watching = true;
    }

    @Override
    public void answered(String route, int status, long nanos) {
        LongAdder[] adders = answered.get(route);
        if (adders == null) {
            adders = answered.computeIfAbsent(route, name -> newAdders());
        }
        adders[status == LEFT ? 0 : Math.max(1, Math.min(CLASSES - 1, status / 100))].increment();
        duration.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Requests that were under way may bring back routes that are gone, so those are forgotten before they are shown. */
    void scrape(StringBuilder text) {
        if (!watching) {
            return;
        }
        Set<String> known = routes.get();
        answered.keySet().removeIf(route -> !route.isEmpty() && !known.contains(route));
        header(text, REQUESTS, "counter", "Requests through the gateway, by route and class of the answer's status");
        new TreeMap<>(answered).forEach((route, adders) -> {
            for (int i = 0; i < CLASSES; i++) {
                if (adders[i].sum() > 0) {
                    series(text, REQUESTS, "route", route, "status", i == 0 ? "left" : i + "xx", adders[i].sum());
                }
            }
        });
        header(text, HEALTHY, "gauge", "1 while requests are sent to the upstream as a matter of course");
        for (UpstreamHealth each : upstreams.get()) {
            series(text, HEALTHY, "service", each.service(), "upstream", each.upstream(), each.healthy() ? 1 : 0);
        }
    }

    private static void header(StringBuilder text, String name, String type, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private static void series(
            StringBuilder text, String name, String label, String value, String other, String otherValue, long count) {
        text.append(name)
                .append('{')
                .append(label)
                .append("=\"")
                .append(escaped(value))
                .append("\",");
        text.append(other).append("=\"").append(escaped(otherValue)).append("\"} ");
        text.append(count).append('\n');
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private static LongAdder[] newAdders() {
        LongAdder[] adders = new LongAdder[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            adders[i] = new LongAdder();
        }
        return adders;
    }
}
