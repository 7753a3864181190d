package io.sluice.center.sink;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores the position of a sink in a file of the data directory. */
final class PositionFile {

    private static final Logger LOG = LoggerFactory.getLogger(PositionFile.class);
    private static final int NAME_BYTES = 8;

    private final String sink;
    private final Path file;

    PositionFile(Path data, String sink) {
        this.sink = sink;
        this.file = data.resolve("audit-sink-" + digest(sink));
    }

    /** Returns the position. After a loss of the file, the sink receives rows again, because missing rows would be worse. */
    SinkPosition read() throws IOException {
        try {
            Optional<SinkPosition> position = SinkPosition.parse(Files.readString(file, StandardCharsets.UTF_8));
            if (position.isEmpty()) {
                LOG.warn("audit sink {}: {} is damaged; the sink gets all rows again", sink, file);
            }
            return position.orElse(SinkPosition.START);
        } catch (NoSuchFileException e) {
            return SinkPosition.START;
        }
    }

    void write(SinkPosition position) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(next, position.toJson(sink), StandardCharsets.UTF_8);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String digest(String name) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, NAME_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing; every Java runtime must provide it", e);
        }
    }
}
