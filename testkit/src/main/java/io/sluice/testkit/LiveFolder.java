package io.sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads folders that a running program writes to: files may vanish between being listed and being read. */
public final class LiveFolder {

    private LiveFolder() {}

    /**
     * Returns all files below a folder with their bytes as text in ISO 8859-1, without files that vanish meanwhile. Returns no files if
     * there is no folder yet.
     */
    public static Map<Path, String> contents(Path folder) {
        Map<Path, String> contents = new TreeMap<>();
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    if (attributes.isRegularFile()) {
                        try {
                            contents.put(file, Files.readString(file, StandardCharsets.ISO_8859_1));
                        } catch (NoSuchFileException e) {
                            // The file vanished.
                        }
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException problem) throws IOException {
                    if (problem instanceof NoSuchFileException) {
                        return FileVisitResult.CONTINUE;
                    }
                    throw problem;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return contents;
    }

    /** Returns the files below a folder, which must exist, that contain a text. */
    public static List<Path> filesWith(Path folder, String text) {
        if (!Files.isDirectory(folder)) {
            throw new AssertionError(folder + ": no folder");
        }
        String sought = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return contents(folder).entrySet().stream()
                .filter(file -> file.getValue().contains(sought))
                .map(Map.Entry::getKey)
                .toList();
    }
}
