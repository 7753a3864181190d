package io.sluice.cli.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Waits for changes of files and directories. The file system notifies of changes. If it does not, because it is remote or there are too
 * many watches, a check once a second finds them. Folders are watched, not files, because editors replace files. Not thread-safe.
 */
final class ChangeWatch {

    private static final long LOOK_MILLIS = 1_000;

    /** The time to wait for further changes, because an editor may write a file in several steps. */
    private static final long SETTLE_MILLIS = 50;

    private static final int MOST_SETTLING = 20;
    private static final int DEEPEST = 8;

    private final List<Path> places;
    private final Set<Path> watched = new HashSet<>();

    ChangeWatch(List<Path> places) {
        this.places = List.copyOf(places);
    }

    /** Runs an action now and after each change, until the thread is interrupted. */
    void run(Runnable action) throws InterruptedException {
        try (WatchService service = service()) {
            while (true) {
                watch(service);
                List<String> seen = look();
                action.run();
                awaitChange(service, seen);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the watch service, or null if the system has no watches left. */
    @SuppressWarnings("NullAway") // a resource may be null
    private static @Nullable WatchService service() {
        try {
            return FileSystems.getDefault().newWatchService();
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    private void awaitChange(@Nullable WatchService service, List<String> seen) throws InterruptedException {
        boolean changed = false;
        while (!changed) {
            boolean told = next(service, LOOK_MILLIS);
            for (int i = 0; told && i < MOST_SETTLING && next(service, SETTLE_MILLIS); i++) {
                // Further changes are still arriving.
            }
            changed = !look().equals(seen);
        }
    }

    private static boolean next(@Nullable WatchService service, long millis) throws InterruptedException {
        if (service == null) {
            TimeUnit.MILLISECONDS.sleep(millis);
            return false;
        }
        try {
            WatchKey key = service.poll(millis, TimeUnit.MILLISECONDS);
            if (key == null) {
                return false;
            }
            key.pollEvents();
            key.reset();
            return true;
        } catch (ClosedWatchServiceException e) {
            throw new InterruptedException();
        }
    }

    /** Watches the folders of all files, including new files. */
    private void watch(@Nullable WatchService service) {
        if (service == null) {
            return;
        }
        for (Path file : files()) {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null && watched.add(folder)) {
                try {
                    folder.register(
                            service,
                            StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_MODIFY,
                            StandardWatchEventKinds.ENTRY_DELETE);
                } catch (IOException e) {
                    watched.remove(folder);
                }
            }
        }
    }

    /** Returns a summary of the files that differs after each change. */
    private List<String> look() {
        List<String> all = new ArrayList<>();
        for (Path file : files()) {
            try {
                BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
                all.add(file + " " + now.lastModifiedTime() + " " + now.size() + " " + now.fileKey());
            } catch (IOException e) {
                all.add(file + " is not there");
            }
        }
        return all;
    }

    private List<Path> files() {
        List<Path> all = new ArrayList<>();
        for (Path place : places) {
            all.add(place);
            if (Files.isDirectory(place)) {
                try (Stream<Path> inside = Files.walk(place, DEEPEST)) {
                    inside.filter(file -> !file.equals(place)).sorted().forEach(all::add);
                } catch (IOException | UncheckedIOException e) {
                    // The next check finds the file again, or reading it reports the problem.
                }
            }
        }
        return all;
    }
}
