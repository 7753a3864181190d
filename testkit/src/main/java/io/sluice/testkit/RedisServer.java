package io.sluice.testkit;

import io.sluice.core.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A real {@code redis-server} of its own on a free loopback port, with its data in a temporary folder. Needs the program on the
 * path; {@code ./test} installs it.
 */
public final class RedisServer implements AutoCloseable {

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int ATTEMPTS = 5;

    private final Path folder;
    private final int port;
    private final List<String> options;
    private Process process;

    private RedisServer(Path folder, int port, List<String> options, Process process) {
        this.folder = folder;
        this.port = port;
        this.options = options;
        this.process = process;
    }

    /** Starts a server and waits until it answers. Options are as on its command line: {@code "--maxmemory", "1mb"}. */
    public static RedisServer start(String... options) {
        for (int attempt = 1; ; attempt++) {
            // The port may be taken between finding and using it; another attempt finds another.
            int port = freePort();
            try {
                Path folder = Files.createTempDirectory("sluice-redis-");
                RedisServer server =
                        new RedisServer(folder, port, List.of(options), launch(folder, port, List.of(options)));
                if (server.awaitAnswer()) {
                    return server;
                }
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException("redis-server does not start (./test installs it)", e);
            }
            if (attempt == ATTEMPTS) {
                throw new IllegalStateException("redis-server did not answer in " + ATTEMPTS + " attempts");
            }
        }
    }

    public int port() {
        return port;
    }

    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Kills the server as a crash would. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Starts it again on the same port, empty. */
    public void restart() {
        try {
            process = launch(folder, port, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!awaitAnswer()) {
            throw new IllegalStateException("redis-server did not come back on port " + port);
        }
    }

    /** Stops it in its tracks (SIGSTOP): it accepts connections and never answers. */
    public void freeze() {
        signal("STOP");
    }

    /** Lets it go on (SIGCONT). */
    public void thaw() {
        signal("CONT");
    }

    @Override
    public void close() {
        kill();
        try {
            deleteTree(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Process launch(Path folder, int port, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "redis-server",
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                folder.toString(),
                "--save",
                "",
                "--appendonly",
                "no"));
        command.addAll(options);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
    }

    private boolean awaitAnswer() {
        long giveUp = Clock.system().nanoTime() + START_NANOS;
        while (process.isAlive() && Clock.system().nanoTime() < giveUp) {
            if (answersPing()) {
                return true;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        return false;
    }

    private boolean answersPing() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            socket.setSoTimeout(500);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] reply = socket.getInputStream().readNBytes(5);
            return new String(reply, StandardCharsets.US_ASCII).equals("+PONG");
        } catch (IOException e) {
            return false;
        }
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
            if (!kill.waitFor(5, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                throw new IllegalStateException("kill -" + name + " " + process.pid() + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("redis-server " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
