package io.sluice.examples.flashsale;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A {@code redis-server} on a free port with its own directory. It stops when it is closed, or when this process ends. */
final class LocalRedis implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(10);

    private final int port;
    private final Path folder;
    private final Thread atExit = new Thread(this::stop);
    private volatile Process process;

    private LocalRedis(int port, Path folder) throws IOException {
        this.port = port;
        this.folder = folder;
        this.process = launch();
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Starts a server and waits until it answers. */
    static LocalRedis start() throws IOException {
        LocalRedis redis = new LocalRedis(freePort(), Files.createTempDirectory("flash-sale-redis"));
        redis.awaitAnswer();
        return redis;
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Kills the server, as in a crash. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Starts the server again on the same port, without data. */
    void restart() throws IOException {
        process = launch();
        awaitAnswer();
    }

    @Override
    public void close() {
        stop();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }

    private void stop() {
        process.destroyForcibly().onExit().join();
        folder.toFile().delete();
    }

    private Process launch() throws IOException {
        try {
            return new ProcessBuilder(
                            "redis-server", "--port", Integer.toString(port), "--bind", "127.0.0.1", "--save", "")
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new IOException(
                    "redis-server: not found (expected: on the path; on Debian: sudo apt-get install redis-server; or"
                            + " use your own with --redis URI)",
                    e);
        }
    }

    private void awaitAnswer() throws IOException {
        long giveUp = System.nanoTime() + START.toNanos();
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > giveUp) {
                close();
                throw new IOException("redis-server: no answer on port " + port);
            }
            Pause.millis(20);
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(500);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read() == '+';
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
