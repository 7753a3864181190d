package io.sluice.runtime;

import io.sluice.rules.watch.RegularFile;
import io.sluice.runtime.fleet.NodeIdentity;
import java.io.IOException;
import java.io.InputStream;
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
    private static final Pattern OTHER_CHARACTERS = Pattern.compile("[^0-9a-zA-Z._:-]");
    private static final int LONGEST = 128;

    /** Longer than any id, with line breaks. */
    private static final int MOST_READ = 1_000;

    private NodeId() {}

    /**
     * Returns the id of this process.
     *
     * @param data the directory that stores the id, if there is one
     * @param port distinguishes processes on the same host if there is no directory
     */
    public static String of(Optional<Path> data, String port) {
        return data.flatMap(NodeId::kept).orElseGet(() -> legal(host() + ":" + port));
    }

    /** Names of hosts and applications may have any characters. */
    private static String legal(String name) {
        String legal = OTHER_CHARACTERS.matcher(name).replaceAll("-");
        return legal.substring(Math.max(0, legal.length() - LONGEST));
    }

    private static Optional<String> kept(Path folder) {
        Path file = folder.resolve(FILE);
        try {
            String known = Files.exists(file) ? read(file) : "";
            return Optional.of(NodeIdentity.isId(known) ? known : create(folder, file));
        } catch (IOException e) {
            LOG.warn("cannot store the node id in {}, host name and port are used instead: {}", file, e.toString());
            return Optional.empty();
        }
    }

    /** Every byte is one character, so a file that is not text is not an error but holds no id. */
    private static String read(Path file) throws IOException {
        try (InputStream in = RegularFile.open(file)) {
            return new String(in.readNBytes(MOST_READ), StandardCharsets.ISO_8859_1).strip();
        }
    }

    private static String create(Path folder, Path file) throws IOException {
        Files.createDirectories(folder);
        String made = UUID.randomUUID().toString();
        Files.writeString(file, made + "\n", StandardCharsets.UTF_8);
        return made;
    }

    /** Returns the name of this host. */
    public static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
