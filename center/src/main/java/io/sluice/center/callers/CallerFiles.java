package io.sluice.center.callers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of minutes and hours. A file is replaced as a whole, so after a crash either the old or the new one exists.
 * Thread-safe.
 */
final class CallerFiles {

    private static final Logger LOG = LoggerFactory.getLogger(CallerFiles.class);
    private static final String DRAFT = ".new";

    private final Path folder;
    private final Set<Path> damaged = new HashSet<>();

    /** The time span of a file. */
    enum Span {
        MINUTE("minute"),
        HOUR("hour");

        private final String word;
        private final String prefix;

        Span(String word) {
            this.word = word;
            this.prefix = word + "-";
        }
    }

    private CallerFiles(Path folder) {
        this.folder = folder;
    }

    static CallerFiles open(Path folder) throws IOException {
        Files.createDirectories(folder);
        try (Stream<Path> found = Files.list(folder)) {
            for (Path each : found.toList()) {
                if (each.getFileName().toString().endsWith(DRAFT)) {
                    Files.deleteIfExists(each);
                }
            }
        }
        return new CallerFiles(folder);
    }

    /** Returns the minutes or hours since 1970 that have a file. */
    NavigableSet<Long> list(Span span) throws IOException {
        TreeSet<Long> times = new TreeSet<>();
        try (Stream<Path> found = Files.list(folder)) {
            found.map(each -> each.getFileName().toString())
                    .filter(name -> name.matches(span.prefix + "\\d{1,15}"))
                    .forEach(name -> times.add(Long.parseLong(name.substring(span.prefix.length()))));
        }
        return times;
    }

    /** Returns the bytes of a file; empty if it does not exist. */
    Optional<byte[]> bytes(Span span, long time) throws IOException {
        try {
            return Optional.of(Files.readAllBytes(path(span, time)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Returns the content of a file; empty if it does not exist or is damaged. Damage is logged once. */
    Optional<CallerFile> read(Span span, long time) throws IOException {
        Optional<byte[]> bytes = bytes(span, time);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(CallerFile.of(bytes.get()));
        } catch (IllegalArgumentException e) {
            synchronized (damaged) {
                if (damaged.size() < 1_000 && damaged.add(path(span, time))) {
                    LOG.warn("{}: damaged; the refused callers of this {} are lost", path(span, time), span.word);
                }
            }
            return Optional.empty();
        }
    }

    void write(Span span, long time, CallerFile file) throws IOException {
        Path path = path(span, time);
        Path draft = path.resolveSibling(path.getFileName() + DRAFT);
        try (FileChannel channel = FileChannel.open(
                draft, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(file.toBytes());
            while (bytes.hasRemaining()) {
                int unused = channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    void delete(Span span, long time) throws IOException {
        Files.deleteIfExists(path(span, time));
        synchronized (damaged) {
            damaged.remove(path(span, time));
        }
    }

    private Path path(Span span, long time) {
        return folder.resolve(span.prefix + time);
    }
}
