package io.sluice.node.gateway.upstream;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.config.ServiceSettings;
import io.sluice.node.gateway.config.ServiceSettings.HealthSettings;
import io.sluice.node.gateway.config.UpstreamTls;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The servers of all services, and their health checks. If a service keeps a server in the next configuration, the server object
 * stays the same: its requests in flight still count, and its known health remains. Thread-safe.
 */
public final class Upstreams implements AutoCloseable {

    private final Vertx vertx;
    private final Clock clock;
    private Map<ServiceSettings, ServiceUpstreams> groups = Map.of();
    private Map<Place, UpstreamServer> servers = Map.of();
    private final Map<Place, Checked> checks = new HashMap<>();

    /** Identifies a server as in the configuration. */
    private record Place(String service, URI origin) {}

    private record Manner(HealthSettings health, boolean http2, UpstreamTls tls) {}

    private record Checked(Manner manner, HealthCheck check) {}

    public Upstreams(Vertx vertx, Clock clock) {
        this.vertx = vertx;
        this.clock = clock;
    }

    /** Replaces all services by these. */
    public synchronized Map<ServiceSettings, ServiceUpstreams> take(Collection<ServiceSettings> services) {
        Map<ServiceSettings, ServiceUpstreams> nextGroups = new LinkedHashMap<>();
        Map<Place, UpstreamServer> nextServers = new LinkedHashMap<>();
        Map<Place, Manner> manners = new LinkedHashMap<>();
        for (ServiceSettings service : services) {
            if (!nextGroups.containsKey(service)) {
                List<UpstreamServer> own = new ArrayList<>();
                for (URI origin : service.origins()) {
                    Place place = new Place(service.name(), origin);
                    own.add(nextServers.computeIfAbsent(place, this::server));
                    service.health()
                            .ifPresent(
                                    health -> manners.put(place, new Manner(health, service.http2(), service.tls())));
                }
                if (service.passive().failures() == 0) {
                    own.forEach(UpstreamServer::forgive);
                }
                nextGroups.put(service, group(service, own));
            }
        }
        groups = nextGroups;
        servers = nextServers;
        check(manners);
        return Map.copyOf(nextGroups);
    }

    /** Returns the health of all servers, in the order of the configuration. */
    public synchronized List<UpstreamHealth> health() {
        List<UpstreamHealth> all = new ArrayList<>();
        servers.forEach((place, server) ->
                all.add(new UpstreamHealth(place.service, place.origin.toString(), server.isFit() && !server.isOut())));
        return all;
    }

    @Override
    public synchronized void close() {
        check(Map.of());
    }

    private UpstreamServer server(Place place) {
        UpstreamServer known = servers.get(place);
        return known != null ? known : new UpstreamServer(place.service, place.origin);
    }

    /** Keeps an unchanged group and its current turn. */
    private ServiceUpstreams group(ServiceSettings service, List<UpstreamServer> own) {
        ServiceUpstreams known = groups.get(service);
        return known != null ? known : new ServiceUpstreams(service, own, tls(service), clock);
    }

    /** Keeps an unchanged object, because connection pools are found by it. */
    private Optional<ClientSSLOptions> tls(ServiceSettings service) {
        for (ServiceUpstreams known : groups.values()) {
            ServiceSettings old = known.settings();
            if (old.name().equals(service.name())
                    && old.tls().equals(service.tls())
                    && old.http2() == service.http2()) {
                return known.tls();
            }
        }
        return service.tls().options(service.http2());
    }

    private void check(Map<Place, Manner> manners) {
        checks.entrySet().removeIf(entry -> {
            Manner next = manners.get(entry.getKey());
            if (entry.getValue().manner.equals(next) && servers.containsKey(entry.getKey())) {
                return false;
            }
            entry.getValue().check.close();
            if (next == null) {
                healthyUnlessAsked(servers.get(entry.getKey()));
            }
            return true;
        });
        manners.forEach((place, manner) -> {
            UpstreamServer server = servers.get(place);
            if (server != null && !checks.containsKey(place)) {
                HealthCheck check = new HealthCheck(vertx, server, manner.health, manner.http2, manner.tls);
                checks.put(place, new Checked(manner, check));
                check.start();
            }
        });
    }

    private static void healthyUnlessAsked(@Nullable UpstreamServer server) {
        if (server != null) {
            server.checkedHealthy(true, "");
        }
    }
}
