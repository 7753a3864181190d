package io.sluice.node.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.node.gateway.upstream.UpstreamHealth;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GatewayMetricsTest {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final GatewayMetrics metrics = new GatewayMetrics(registry);
    private Set<String> routes = Set.of("/a", "/b");
    private List<UpstreamHealth> upstreams =
            List.of(new UpstreamHealth("s", "http://one", true), new UpstreamHealth("s", "http://two", false));

    @Test
    void countsAnswersByRouteAndClassOfStatus() {
        metrics.watch(() -> routes, () -> upstreams);
        metrics.answered("/a", 200, 1_000);
        metrics.answered("/a", 204, 1_000);
        metrics.answered("/a", 499, 1_000);
        metrics.answered("/b", 503, 1_000);
        metrics.answered("", 404, 1_000);

        assertThat(series())
                .containsExactlyInAnyOrder(
                        "sluice_gateway_requests_total{route=\"\",status=\"4xx\"} 1.0",
                        "sluice_gateway_requests_total{route=\"/a\",status=\"2xx\"} 2.0",
                        "sluice_gateway_requests_total{route=\"/a\",status=\"left\"} 1.0",
                        "sluice_gateway_requests_total{route=\"/b\",status=\"5xx\"} 1.0",
                        "sluice_gateway_upstream_healthy{service=\"s\",upstream=\"http://one\"} 1.0",
                        "sluice_gateway_upstream_healthy{service=\"s\",upstream=\"http://two\"} 0.0");

        metrics.answered("/a", 200, 1_000);
        assertThat(series()).contains("sluice_gateway_requests_total{route=\"/a\",status=\"2xx\"} 3.0");
    }

    @Test
    void theSeriesOfRemovedRoutesAndUpstreamsAreRemoved() {
        metrics.watch(() -> routes, () -> upstreams);
        metrics.answered("/a", 200, 1_000);
        metrics.answered("/b", 200, 1_000);
        metrics.answered("", 404, 1_000);
        assertThat(series()).hasSize(5);

        routes = Set.of("/b");
        upstreams = List.of(new UpstreamHealth("s", "http://two", true));
        String[] left = {
            "sluice_gateway_requests_total{route=\"\",status=\"4xx\"} 1.0",
            "sluice_gateway_requests_total{route=\"/b\",status=\"2xx\"} 1.0",
            "sluice_gateway_upstream_healthy{service=\"s\",upstream=\"http://two\"} 1.0"
        };
        assertThat(series()).containsExactlyInAnyOrder(left);

        // A request that was in flight.
        metrics.answered("/a", 200, 1_000);
        assertThat(series()).containsExactlyInAnyOrder(left);

        // A route that comes back starts anew.
        routes = Set.of("/a", "/b");
        metrics.answered("/a", 200, 1_000);
        assertThat(series()).contains("sluice_gateway_requests_total{route=\"/a\",status=\"2xx\"} 1.0");
    }

    @Test
    void answersBeforeTheGatewayIsWatchedAreCounted() {
        metrics.answered("/a", 200, 1_000);
        series();

        metrics.watch(() -> routes, List::of);
        assertThat(series()).containsExactly("sluice_gateway_requests_total{route=\"/a\",status=\"2xx\"} 1.0");
    }

    private List<String> series() {
        metrics.refresh();
        return registry.scrape()
                .lines()
                .filter(line -> line.startsWith("sluice_gateway_") && !line.startsWith("sluice_gateway_duration"))
                .toList();
    }
}
