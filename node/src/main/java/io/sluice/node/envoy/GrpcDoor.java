package io.sluice.node.envoy;

import io.sluice.envoy.decide.CountingMode;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.envoy.server.AllowedCallers;
import io.sluice.envoy.server.EnvoyJson;
import io.sluice.envoy.server.EnvoyServer;
import io.sluice.envoy.server.TlsFiles;
import io.sluice.node.access.DoorTokens;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.GrpcSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.transport.OpenConnections;
import io.sluice.rules.evaluate.Evaluator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's entry point for Envoy. Without a gRPC port there is only {@code POST /json}. Thread-safe. */
public final class GrpcDoor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(GrpcDoor.class);

    private final RateLimitDecider decider;
    private final @Nullable EnvoyServer server;
    private final OpenConnections connections;

    private GrpcDoor(RateLimitDecider decider, @Nullable EnvoyServer server, OpenConnections connections) {
        this.decider = decider;
        this.server = server;
        this.connections = connections;
    }

    /** Listens if the node has a gRPC port, but decides nothing yet. */
    public static GrpcDoor open(NodeConfig config, DoorTokens tokens, Evaluator evaluator) throws StartFailedException {
        return open(config, tokens, evaluator, OpenConnections.USUAL_MOST);
    }

    static GrpcDoor open(NodeConfig config, DoorTokens tokens, Evaluator evaluator, int mostConnections)
            throws StartFailedException {
        Optional<GrpcSettings> settings = config.grpc();
        boolean reference =
                settings.filter(GrpcSettings::countsLikeTheReference).isPresent();
        RateLimitDecider decider =
                new RateLimitDecider(evaluator, reference ? CountingMode.REFERENCE : CountingMode.TOGETHER);
        OpenConnections connections = new OpenConnections(mostConnections);
        EnvoyServer server = settings.isEmpty() ? null : listen(settings.get().door(), tokens, decider, connections);
        return new GrpcDoor(decider, server, connections);
    }

    private static EnvoyServer listen(
            DoorSettings door, DoorTokens tokens, RateLimitDecider decider, OpenConnections connections)
            throws StartFailedException {
        Optional<TlsFiles> tls = door.access()
                .tls()
                .map(files -> new TlsFiles(files.certificate(), files.key(), files.clientAuthorities()));
        AllowedCallers callers =
                new AllowedCallers(connections::admit, tokens.of(door).map(file -> file::admits));
        try {
            return EnvoyServer.start(new InetSocketAddress(door.host(), door.port()), tls, callers, decider);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw unreadable(e);
        } catch (IOException e) {
            if (tls.isPresent() && !String.valueOf(e.getMessage()).contains("bind")) {
                throw unreadable(e);
            }
            throw new StartFailedException(
                    "grpc port " + door.port() + " on " + door.host() + ": " + why(e), List.of());
        }
    }

    private static StartFailedException unreadable(Exception failure) {
        LOG.debug("certificates", failure);
        return new StartFailedException(
                "grpc.tls: unreadable (expected: a certificate and a key in PEM that belong together, the key in PKCS#8"
                        + " without a password, in files this user may read)",
                List.of());
    }

    /** The operating system's message is in the cause. */
    private static String why(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String words = String.valueOf(each.getMessage());
            if (words.contains("already in use")) {
                return "in use (expected: a free port; choose another with --grpc-port, 0 takes any)";
            }
            if (words.contains("ermission denied")) {
                return "not permitted (expected: a port above 1023; choose another with --grpc-port)";
            }
        }
        return "cannot listen (expected: an address of this machine and a free port)";
    }

    /** Returns the port; empty if there is none. */
    public OptionalInt port() {
        return server == null ? OptionalInt.empty() : OptionalInt.of(server.port());
    }

    /** Returns how many connections were closed at once because too many were open. */
    public long refusedConnections() {
        return connections.refused();
    }

    /** Returns the same protocol for the api port. */
    public EnvoyJson json() {
        return new EnvoyJson(decider);
    }

    /** Sends requests to itself while {@code more} is true. */
    public void warmUp(BooleanSupplier more) {
        if (server != null) {
            server.warmUp(more);
        }
    }

    /** Called when the node serves. */
    public void serve() {
        if (server != null) {
            server.open();
        }
    }

    /** Called when the node is about to stop. */
    public void leave() {
        if (server != null) {
            server.leave();
        }
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
