package io.sluice.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A program in its own process with a temporary folder. Both are removed when this object is closed or this JVM ends. The folder outlives
 * the process, so that the program can be started again.
 */
public final class ServerProcess implements AutoCloseable {

    private static final int LOG_SHOWN = 2_000;
    private static final Set<ServerProcess> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> OPEN.forEach(ServerProcess::close), "sluice-testkit-end"));
    }

    private final Path folder;
    private final List<String> command;
    private volatile Process process;

    private ServerProcess(Path folder, List<String> command) throws IOException {
        this.folder = folder;
        this.command = List.copyOf(command);
        this.process = launch();
    }

    /** Starts a program. The command line is built for its folder. */
    public static ServerProcess start(Function<Path, List<String>> command) {
        try {
            Path folder = Files.createTempDirectory("sluice-server-");
            ServerProcess started = new ServerProcess(folder, command.apply(folder));
            OPEN.add(started);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the server (./test installs what it needs)", e);
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the folder that the command line was built for. */
    Path folder() {
        return folder;
    }

    public long pid() {
        return process.pid();
    }

    public void relaunch() {
        kill();
        try {
            process = launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the process and its descendants. */
    public void kill() {
        List<ProcessHandle> own = process.descendants().toList();
        process.destroyForcibly();
        own.forEach(ProcessHandle::destroyForcibly);
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException(command.get(0) + " " + pid() + " did not exit after being killed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start();
            if (!kill.waitFor(60, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                throw new IllegalStateException("kill -" + name + " " + pid() + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the end of the output, for error messages. */
    public String log() {
        try {
            String all = Files.readString(logFile(), StandardCharsets.ISO_8859_1);
            return all.substring(Math.max(0, all.length() - LOG_SHOWN));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        if (!OPEN.remove(this)) {
            return;
        }
        kill();
        try {
            deleteTree(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process launch() throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()))
                .start();
    }

    private Path logFile() {
        return folder.resolve("log");
    }

    private static void deleteTree(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
