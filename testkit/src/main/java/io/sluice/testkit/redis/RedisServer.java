package io.sluice.testkit.redis;

import io.sluice.testkit.Await;
import io.sluice.testkit.process.Ports;
import io.sluice.testkit.process.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A real {@code redis-server} of its own on a free loopback port, with its data in a temporary folder. Needs the program on the
 * path; {@code ./test} installs it. Ends with this JVM at the latest. Safe for use by many threads, but for {@link #restart}.
 */
public final class RedisServer implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(1);
    private static final Duration PING = Duration.ofMillis(500);
    private static final int ATTEMPTS = 5;

    private final int port;
    private final List<String> options;
    private final ServerProcess process;

    private RedisServer(boolean sentinel, int port, List<String> options) {
        this.port = port;
        this.options = List.copyOf(options);
        this.process = ServerProcess.start(folder -> commandLine(sentinel, folder));
    }

    /** Starts a server and waits until it answers. Options are as on its command line: {@code "--maxmemory", "1mb"}. */
    public static RedisServer start(String... options) {
        return start(() -> List.of(options));
    }

    /** With options made anew for each attempt, for those that name ports. */
    static RedisServer start(Supplier<List<String>> options) {
        return start(false, options);
    }

    /** A sentinel, which watches nothing yet. */
    static RedisServer startSentinel() {
        return start(true, List::of);
    }

    private static RedisServer start(boolean sentinel, Supplier<List<String>> options) {
        String log = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            // The port may be taken between finding and using it; another attempt finds another.
            RedisServer server = new RedisServer(sentinel, Ports.free(), options.get());
            if (server.awaitAnswer()) {
                return server;
            }
            log = server.process.log();
            server.close();
        }
        throw new IllegalStateException("redis-server did not answer in " + ATTEMPTS + " attempts: " + log);
    }

    public int port() {
        return port;
    }

    /** With the password of {@code --requirepass}, if there is one. */
    public String uri() {
        return "redis://" + credentials() + "127.0.0.1:" + port;
    }

    /** Sends a command over a connection of its own and returns the reply, an error too. */
    public RedisReply command(String... command) {
        try (RedisConnection connection = connect()) {
            return connection.command(command);
        }
    }

    /** A connection to this server, past the password of {@code --requirepass}. */
    public RedisConnection connect() {
        return authenticated(RedisConnection.to(port));
    }

    /** A field of {@code INFO}: {@code info("role")}. */
    public String info(String field) {
        String all = command("INFO", "all").text();
        return all.lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("field: \"" + field + "\" (expected: one of INFO)"));
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Kills the server as a crash would. */
    public void kill() {
        process.kill();
    }

    /** Starts it again on the same port, empty; kills it first if it runs. */
    public void restart() {
        process.relaunch();
        if (!awaitAnswer()) {
            throw new IllegalStateException("redis-server did not come back on port " + port + ": " + process.log());
        }
    }

    /** Stops it in its tracks (SIGSTOP): it accepts connections and never answers. */
    public void freeze() {
        process.signal("STOP");
    }

    /** Lets it go on (SIGCONT). */
    public void thaw() {
        process.signal("CONT");
    }

    @Override
    public void close() {
        process.close();
    }

    /** How far this server's data have come, in the same measure as its primary's or its replicas'. */
    long offset() {
        return Long.parseLong(info(info("role").equals("slave") ? "slave_repl_offset" : "master_repl_offset"));
    }

    /** Whether it follows this primary and the link is up. */
    boolean followsPrimary(int primaryPort) {
        return info("role").equals("slave")
                && info("master_port").equals(Integer.toString(primaryPort))
                && info("master_link_status").equals("up");
    }

    Optional<String> password() {
        return option("--requirepass");
    }

    /** The value of an option that it was started with. */
    Optional<String> option(String name) {
        int at = options.indexOf(name);
        return at < 0 ? Optional.empty() : Optional.of(options.get(at + 1));
    }

    String credentials() {
        return password()
                .map(password -> ":"
                        + URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20") + "@")
                .orElse("");
    }

    RedisConnection authenticated(RedisConnection connection) {
        password().ifPresent(password -> done(connection.command("AUTH", password)));
        return connection;
    }

    /** Fails unless the reply is OK. */
    static void done(RedisReply reply) {
        if (!reply.text().equals("OK")) {
            throw new IllegalStateException("reply: " + reply + " (expected: OK)");
        }
    }

    private List<String> commandLine(boolean sentinel, Path folder) {
        List<String> line = new ArrayList<>();
        line.add("redis-server");
        if (sentinel) {
            line.addAll(List.of(emptyFile(folder.resolve("sentinel.conf")), "--sentinel"));
        } else {
            line.addAll(List.of("--save", "", "--appendonly", "no"));
        }
        line.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--dir", folder.toString()));
        line.addAll(options);
        return line;
    }

    private static String emptyFile(Path file) {
        try {
            return Files.createFile(file).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean awaitAnswer() {
        return Await.within(START, () -> !process.isAlive() || answers()) && process.isAlive();
    }

    private boolean answers() {
        try (RedisConnection connection = RedisConnection.to(port, PING)) {
            // A server that asks for a password answers; one that says who it is had better be this one.
            RedisReply reply = connection.command("INFO", "server");
            return reply instanceof RedisReply.Failure refused
                    ? !refused.error().startsWith("LOADING")
                    : reply.text().contains("process_id:" + process.pid() + "\r\n");
        } catch (UncheckedIOException e) {
            return false;
        }
    }
}
