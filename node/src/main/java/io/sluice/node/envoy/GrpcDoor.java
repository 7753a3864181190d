package io.sluice.node.envoy;

import io.sluice.envoy.decide.CountingMode;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.envoy.server.AllowedCallers;
import io.sluice.envoy.server.EnvoyServer;
import io.sluice.envoy.server.TlsFiles;
import io.sluice.http.trace.RequestOrigin;
import io.sluice.node.access.DoorTokens;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.GrpcSettings;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.door.Door;
import io.sluice.node.transport.OpenConnections;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's entry point for Envoy over gRPC. {@code POST /json} of the decision API has the same protocol. Thread-safe. */
public final class GrpcDoor implements Door {

    private static final Logger LOG = LoggerFactory.getLogger(GrpcDoor.class);

    private final DoorSettings settings;
    private final DoorTokens tokens;
    private final Supplier<RuleSet> rules;
    private final RateLimitDecider decider;
    private final OpenConnections connections;
    private volatile @Nullable EnvoyServer server;

    private GrpcDoor(
            GrpcSettings settings,
            DoorTokens tokens,
            Supplier<RuleSet> rules,
            Evaluator evaluator,
            int mostConnections) {
        this.settings = settings.door();
        this.tokens = tokens;
        this.rules = rules;
        this.decider = new RateLimitDecider(
                evaluator, settings.countsLikeTheReference() ? CountingMode.REFERENCE : CountingMode.TOGETHER);
        this.connections = new OpenConnections(mostConnections);
    }

    /** Creates a door that listens after {@link #serve}. */
    public static GrpcDoor of(GrpcSettings settings, DoorTokens tokens, Supplier<RuleSet> rules, Evaluator evaluator) {
        return of(settings, tokens, rules, evaluator, OpenConnections.USUAL_MOST);
    }

    static GrpcDoor of(
            GrpcSettings settings,
            DoorTokens tokens,
            Supplier<RuleSet> rules,
            Evaluator evaluator,
            int mostConnections) {
        return new GrpcDoor(settings, tokens, rules, evaluator, mostConnections);
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
            return EnvoyServer.start(
                    new InetSocketAddress(door.host(), door.port()), tls, callers, decider, RequestOrigin::of);
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

    @Override
    public String name() {
        return "grpc";
    }

    /** Returns the port; empty if it is not open yet. */
    public OptionalInt port() {
        EnvoyServer open = server;
        return open == null ? OptionalInt.empty() : OptionalInt.of(open.port());
    }

    @Override
    public long refusedConnections() {
        return connections.refused();
    }

    /** Does nothing: a port that listens before it serves would refuse the requests that it accepts. */
    @Override
    public void open() {
        // See serve.
    }

    @Override
    public void warmUp(BooleanSupplier more) throws IOException, GeneralSecurityException {
        EnvoyServer.warmUp(decider, rules.get().rules(), more);
    }

    /** Starts to listen and to decide. */
    @Override
    public void serve() throws StartFailedException {
        EnvoyServer listening = listen(settings, tokens, decider, connections);
        server = listening;
        listening.open();
    }

    @Override
    public void leave() {
        EnvoyServer open = server;
        if (open != null) {
            open.leave();
        }
    }

    @Override
    public void close() {
        EnvoyServer open = server;
        if (open != null) {
            open.close();
        }
    }
}
