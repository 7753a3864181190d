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
 * The id that distinguishes a node from the others of its fleet. It stays the same after a restart: it is created once and stored
 * in the data directory or, without one, made from the host and port.
 */
public final class NodeId {

    private static final Logger LOG = LoggerFactory.getLogger(NodeId.class);
    private static final String FILE = "node-id";
    private static final Pattern FORM = Pattern.compile("[0-9a-zA-Z._:-]{1,128}");

    private NodeId() {}

    /**
     * Returns the id of this process.
     *
     * @param data the directory that stores the id, if there is one
     * @param port distinguishes processes on the same host if there is no directory
     */
    public static String of(Optional<Path> data, String port) {
        return data.map(NodeId::kept).orElseGet(() -> host() + ":" + port);
    }

    private static String kept(Path folder) {
        Path file = folder.resolve(FILE);
        try {
            if (Files.isRegularFile(file) && Files.isReadable(file) && Files.size(file) < 1_000) {
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
            LOG.warn("cannot store the node id in {}, the host name is used instead: {}", file, e.toString());
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
