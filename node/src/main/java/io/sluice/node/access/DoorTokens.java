package io.sluice.node.access;

import io.sluice.core.time.Clock;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.GrpcSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.auth.AuthUnreadableException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The token files of a node. Each is watched once, even if several ports share it. Thread-safe. */
public final class DoorTokens implements AutoCloseable {

    private final Map<Path, BearerTokens> files;

    private DoorTokens(Map<Path, BearerTokens> files) {
        this.files = files;
    }

    /** Reads all token files in the configuration. */
    public static DoorTokens open(NodeConfig config, Clock clock) throws StartFailedException {
        DoorTokens tokens = new DoorTokens(new LinkedHashMap<>());
        try {
            for (Path path : Stream.concat(Stream.of(config.api()), config.grpc().map(GrpcSettings::door).stream())
                    .flatMap(door -> door.access().tokens().stream())
                    .distinct()
                    .toList()) {
                tokens.files.put(path, BearerTokens.open(path, clock));
            }
            return tokens;
        } catch (AuthUnreadableException e) {
            tokens.close();
            throw new StartFailedException("tokens: " + e.getMessage(), List.of());
        }
    }

    /** Returns the tokens of a port; empty if its callers need no token. */
    public Optional<BearerTokens> of(DoorSettings door) {
        return door.access().tokens().map(files::get);
    }

    /** Returns the current problems with the files, as sentences. */
    public List<String> findings() {
        return files.values().stream().flatMap(each -> each.finding().stream()).toList();
    }

    @Override
    public void close() {
        files.values().forEach(BearerTokens::close);
    }
}
