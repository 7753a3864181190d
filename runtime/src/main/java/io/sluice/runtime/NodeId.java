package io.sluice.runtime;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What tells a node from the others of its fleet, the same after a restart: made once and kept in its data folder or, without one,
 * its host and port.
 */
public final class NodeId {

    private static final Logger LOG = LoggerFactory.getLogger(NodeId.class);
    private static final String FILE = "node-id";
    private static final Pattern FORM = Pattern.compile("[0-9a-zA-Z._:-]{1,128}");

    private NodeId() {}

    /**
     * The id of this process.
     *
     * @param data where it is kept, if it can be
     * @param port what tells the process from others of its host, where it cannot
     */
    public static String of(Optional<Path> data, String port) {
        return data.map(NodeId::kept).orElseGet(() -> host() + ":" + port);
    }

    private static String kept(Path folder) {
        Path file = folder.resolve(FILE);
        try {
            if (Files.isReadable(file) && Files.size(file) < 1_000) {
                String known = Files.readString(file, StandardCharsets.UTF_8).strip();
                if (FORM.matcher(known).matches()) {
                    return known;
                }
            }
            Files.createDirectories(folder);
            String made = UUID.randomUUID().toString();
            Files.writeString(file, made + "\n", StandardCharsets.UTF_8);
            return made;
        } catch (IOException e) {
            LOG.warn("the node's id is not kept: {}: {}", file, e.toString());
            return host();
        }
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
