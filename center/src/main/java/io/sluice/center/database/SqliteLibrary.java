package io.sluice.center.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sqlite.SQLiteJDBCLoader;

/**
 * The native library of SQLite. A process needs it once.
 *
 * <p>The driver unpacks the library into a separate file for each process, and leaves the file behind if the process is killed. This class
 * therefore deletes the file as soon as the library is loaded. The system keeps a deleted file until the process ends.
 */
final class SqliteLibrary {

    private static final String FOLDER = "org.sqlite.tmpdir";

    private static boolean isLoaded;

    private SqliteLibrary() {}

    /**
     * Loads the library, unless this process has already loaded it.
     *
     * @param data a directory whose files may be executed; the default directory for temporary files may forbid that. A user can name
     *     another directory with the system property of the driver
     */
    static synchronized void load(Path data) {
        if (isLoaded || System.getProperty(FOLDER) != null) {
            return;
        }
        try {
            // Earlier releases left such files here.
            delete(data, "sqlite-*-*sqlitejdbc.*");
            Path folder = Files.createTempDirectory(data.toAbsolutePath(), "sqlite-library");
            System.setProperty(FOLDER, folder.toString());
            try {
                isLoaded = SQLiteJDBCLoader.initialize();
            } finally {
                System.clearProperty(FOLDER);
                delete(folder, "*");
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException("the library of SQLite cannot be loaded: " + e.getMessage(), e);
        }
    }

    private static void delete(Path folder, String names) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, names)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
    }
}
