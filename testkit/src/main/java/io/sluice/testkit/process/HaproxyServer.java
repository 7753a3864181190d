package io.sluice.testkit.process;

import io.sluice.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A real {@code haproxy}, with all its files in a temporary folder. Needs the program on the path; {@code ./test} installs it. Ends with
 * this JVM at the latest. Thread-safe.
 */
public final class HaproxyServer implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(1);

    /** The common settings. With them, connections do not fail because a machine is slow, and failures are not retried silently. */
    private static final String SETTINGS = """
            global
              stats socket %s
              maxconn 4096
            defaults
              mode http
              retries 0
              timeout connect 5m
              timeout client 5m
              timeout server 5m
              timeout check 5m
            """;

    private final Path socket;
    private final ServerProcess process;

    private HaproxyServer(String sections) {
        this.process = ServerProcess.start(folder ->
                List.of("haproxy", "-db", "-f", written(folder, SETTINGS.formatted(admin(folder)) + sections)));
        this.socket = admin(process.folder());
    }

    /**
     * Starts a server and waits until it accepts connections.
     *
     * @param sections the frontends and backends; failed connections are not tried again
     */
    public static HaproxyServer start(String sections) {
        HaproxyServer server = new HaproxyServer(sections);
        if (Await.within(START, () -> !server.process.isAlive() || Files.exists(server.socket))
                && server.process.isAlive()) {
            return server;
        }
        String log = server.process.log();
        server.close();
        throw new IllegalStateException("haproxy did not start: " + log);
    }

    /** Returns true if all servers of this name are in use, and false if none is. Throws if they differ. */
    public boolean isUp(String server) {
        List<String> states = states(server);
        return !states.isEmpty() && states.stream().allMatch(state -> state.startsWith("UP"));
    }

    /** Returns whether no server of this name gets requests any more. */
    public boolean isDown(String server) {
        List<String> states = states(server);
        return !states.isEmpty() && states.stream().allMatch(state -> state.startsWith("DOWN"));
    }

    private List<String> states(String server) {
        // Fields: 1 the name of the server, 17 its state.
        return ask("show stat")
                .lines()
                .map(line -> line.split(",", -1))
                .filter(fields -> fields.length > 17 && fields[1].equals(server))
                .map(fields -> fields[17])
                .toList();
    }

    /** Sends a command to the administration socket and returns the answer. */
    public String ask(String command) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            ByteBuffer line = ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.US_ASCII));
            while (line.hasRemaining()) {
                channel.write(line);
            }
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(process.log(), e);
        }
    }

    @Override
    public void close() {
        process.close();
    }

    private static Path admin(Path folder) {
        return folder.resolve("admin.sock");
    }

    private static String written(Path folder, String settings) {
        try {
            return Files.writeString(folder.resolve("haproxy.cfg"), settings).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
