package io.sluice.testkit.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** The files of a project without the output of its build, which may change while a test reads it. */
public final class SourceTree {

    private static final String BUILD_OUTPUT = "target";

    private SourceTree() {}

    /** Returns the files below a folder whose names have this ending. Leaves out hidden folders and {@code target}. */
    public static List<Path> files(Path root, String ending) {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
                        throws IOException {
                    return !folder.equals(root) && (folder.endsWith(BUILD_OUTPUT) || Files.isHidden(folder))
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (file.toString().endsWith(ending)) {
                        files.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }
}
