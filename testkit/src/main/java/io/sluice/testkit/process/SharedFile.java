package io.sluice.testkit.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Collection;

/** A file that is expensive to make. The first process of a build that needs it makes it, and the others wait for it. */
public final class SharedFile {

    /** Makes the file. */
    @FunctionalInterface
    public interface Maker {
        /** Writes the file to the given path, where no file is yet. */
        void make(Path file) throws IOException, InterruptedException;
    }

    private SharedFile() {}

    /**
     * Returns {@code file}. It is made if it is missing or not newer than one of its sources.
     *
     * @param sources files and folders; a folder stands for the files in it; what does not exist is no source
     */
    public static synchronized Path of(Path file, Collection<Path> sources, Maker maker)
            throws IOException, InterruptedException {
        Files.createDirectories(file.getParent());
        Path lock = file.resolveSibling(file.getFileName() + ".lock");
        // The system releases the lock of a process that ends.
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            if (!held.isValid() || !isNewer(file, sources)) {
                Path made = file.resolveSibling(file.getFileName() + ".new");
                Files.deleteIfExists(made);
                maker.make(made);
                Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
            }
        }
        return file;
    }

    private static boolean isNewer(Path file, Collection<Path> sources) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        FileTime made = Files.getLastModifiedTime(file);
        for (Path source : sources) {
            if (Files.exists(source)) {
                try (var files = Files.walk(source)) {
                    for (Path each : files.toList()) {
                        if (Files.getLastModifiedTime(each).compareTo(made) >= 0) {
                            return false;
                        }
                    }
                }
            }
        }
        return true;
    }
}
