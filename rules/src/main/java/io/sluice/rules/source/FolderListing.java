package io.sluice.rules.source;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The rule files that exist at one moment.
 *
 * @param path the requested path
 * @param root the real location of its files; null if the path is not a directory
 * @param entries the files, in the order of their names
 * @param failure the reason why there are no entries; empty if there are entries
 */
record FolderListing(Path path, @Nullable Path root, List<Entry> entries, String failure) {

    private static final String KUBERNETES = "..data";
    private static final List<String> ENDINGS = List.of(".yaml", ".yml", ".json");

    /**
     * A file.
     *
     * @param name the name that its owner knows
     * @param place the path from which it is read
     * @param mayBePipe whether to read it even if it is a pipe or device
     */
    record Entry(String name, Path place, boolean mayBePipe) {}

    /**
     * Lists the files at a path.
     *
     * @param mayBePipe whether the path itself may be a pipe or device; pipes and devices in a directory are never read
     */
    static FolderListing of(Path path, boolean mayBePipe) {
        if (!Files.isDirectory(path)) {
            return new FolderListing(path, null, List.of(new Entry(path.toString(), path, mayBePipe)), "");
        }
        Path root = null;
        try {
            root = root(path);
            List<Entry> entries = entries(path, root);
            if (entries.isEmpty()) {
                return failed(path, root, "directory: no rule files (expected: at least one *.yaml, *.yml or *.json)");
            }
            return entries.size() > RuleFiles.MOST_FILES
                    ? failed(
                            path,
                            root,
                            "directory: " + entries.size() + " rule files (expected: at most " + RuleFiles.MOST_FILES
                                    + ")")
                    : new FolderListing(path, root, entries, "");
        } catch (NoSuchFileException e) {
            return failed(path, root, "directory: missing (expected: a directory of rule documents)");
        } catch (IOException | DirectoryIteratorException e) {
            return failed(path, root, "directory: unreadable (expected: a directory that this user may read)");
        }
    }

    /** Returns whether the location is still the same, so that all files read by this listing belong together. */
    boolean isStillThere() {
        try {
            return root == null ? !Files.isDirectory(path) : root.equals(root(path));
        } catch (IOException e) {
            return false;
        }
    }

    private static Path root(Path folder) throws IOException {
        Path data = folder.resolve(KUBERNETES);
        return (Files.isDirectory(data) ? data : folder).toRealPath();
    }

    private static List<Entry> entries(Path folder, Path root) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(root)) {
            for (Path place : stream) {
                String name = String.valueOf(place.getFileName());
                if (isRules(name)) {
                    entries.add(new Entry(folder.resolve(name).toString(), place, false));
                }
            }
        }
        entries.sort(Comparator.comparing(Entry::name));
        return entries;
    }

    private static boolean isRules(String name) {
        String small = name.toLowerCase(Locale.ROOT);
        return !name.startsWith(".") && ENDINGS.stream().anyMatch(small::endsWith);
    }

    private static FolderListing failed(Path path, @Nullable Path root, String failure) {
        return new FolderListing(path, root, List.of(), failure);
    }
}
