package io.sluice.node;

import io.sluice.envoy.decide.CountingMode;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.envoy.server.EnvoyJson;
import io.sluice.node.api.ApiAccess;
import io.sluice.node.api.ApiDoor;
import io.sluice.node.api.ApiHandler;
import io.sluice.node.api.BodyReader;
import io.sluice.node.api.DecisionRoutes;
import io.sluice.node.api.EnvoyRoute;
import io.sluice.node.api.PermitSeals;
import io.sluice.node.api.StateRoutes;
import io.sluice.node.config.DoorAccess;
import io.sluice.node.config.GrpcSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.door.Door;
import io.sluice.node.door.DoorMeans;
import io.vertx.core.Vertx;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** The decision API of a node, with the answers of the node about itself. Thread-safe. */
final class NodeApi implements Door {

    private final DoorMeans means;
    private final NodeConfig config;
    private final ApiDoor door;
    private final DecisionRoutes decisions;
    private final EnvoyRoute envoy;
    private final StateRoutes state;
    private final Optional<SharedPermitKey> permitKey;

    NodeApi(DoorMeans means) {
        this.means = means;
        this.config = means.config();
        Vertx vertx = means.loops().vertx();
        PermitSeals seals = new PermitSeals();
        this.door = new ApiDoor(means.loops());
        this.decisions = new DecisionRoutes(
                vertx, means.evaluator(), means::rules, seals, config.xRateLimitHeaders(), means.tracing());
        boolean reference =
                config.grpc().filter(GrpcSettings::countsLikeTheReference).isPresent();
        this.envoy = new EnvoyRoute(
                vertx,
                new EnvoyJson(new RateLimitDecider(
                        means.evaluator(), reference ? CountingMode.REFERENCE : CountingMode.TOGETHER)));
        this.state = new StateRoutes(vertx, means.health(), means.metrics());
        this.permitKey = Optional.ofNullable(means.participant().engines().store())
                .map(store -> new SharedPermitKey(store, seals, means.clock()));
    }

    @Override
    public String name() {
        return "api";
    }

    @Override
    public void open() throws StartFailedException {
        ApiAccess access = means.tokens()
                .of(config.api())
                .map(file -> ApiAccess.withToken(file::admits, config.openMetrics()))
                .orElse(ApiAccess.OPEN);
        door.open(config.api(), () -> handler(access), means.clock());
    }

    private ApiHandler handler(ApiAccess access) {
        return new ApiHandler(decisions, envoy, state, access, new BodyReader());
    }

    /** A protected port is not used, because there is no certificate and no token for it. The own token keeps other processes out. */
    @Override
    public void warmUp(BooleanSupplier more) throws Exception {
        if (config.api().access().equals(DoorAccess.OPEN)) {
            InetSocketAddress address = new InetSocketAddress(config.api().host(), port());
            HttpQuestions.ofRules(address, means.rules()).ask(more);
            return;
        }
        String token = UUID.randomUUID().toString();
        ApiAccess own = ApiAccess.withToken(List.of("Bearer " + token)::equals, false);
        door.practise(() -> handler(own), address -> HttpQuestions.ofRules(address, means.rules())
                .withToken(token)
                .ask(more));
    }

    @Override
    public void serve() {
        permitKey.ifPresent(SharedPermitKey::awaitFirst);
    }

    int port() {
        return door.port();
    }

    @Override
    public void leave() {
        door.leave();
    }

    @Override
    public long refusedConnections() {
        return door.refusedConnections();
    }

    @Override
    public void close() {
        door.close();
        permitKey.ifPresent(SharedPermitKey::close);
    }
}
