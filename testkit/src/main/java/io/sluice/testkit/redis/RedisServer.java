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
 * A real {@code redis-server} on a free loopback port, with its data in a temporary folder. Needs the program on the path; {@code
 * ./test} installs it. Ends with this JVM at the latest. Thread-safe, except for {@link #restart}.
 */
public final class RedisServer implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(1);
    private static final Duration PING = Duration.ofMillis(500);
    private static final int ATTEMPTS = 5;

    private enum Kind {
        OWN,
        SHARED,
        SENTINEL
    }

    private final int port;
    private final List<String> options;
    private final boolean shared;
    private final ServerProcess process;

    private RedisServer(Kind kind, int port, List<String> options) {
        this.port = port;
        this.shared = kind == Kind.SHARED;
        this.options = List.copyOf(options);
        this.process = ServerProcess.start(folder -> commandLine(kind, folder));
    }

    /**
     * Returns the server that all test classes of this JVM share, emptied: without keys, functions, scripts and statistics. It starts at
     * the first call and ends with the JVM. Use it in classes that need a plain server, and {@link #start} for a server to kill, freeze or
     * configure: the shared server throws an {@link IllegalStateException} on each of these, and when it is closed.
     */
    public static RedisServer shared() {
        return SharedServers.server();
    }

    /** Starts a server and waits until it answers. Options are as on the command line: {@code "--maxmemory", "1mb"}. */
    public static RedisServer start(String... options) {
        return start(() -> List.of(options));
    }

    /** Starts a server with options that are built again for each attempt, for options that name ports. */
    static RedisServer start(Supplier<List<String>> options) {
        return start(Kind.OWN, options);
    }

    /** Starts a Sentinel that does not watch a primary yet. */
    static RedisServer startSentinel() {
        return start(Kind.SENTINEL, List::of);
    }

    /** Starts a server that can be neither ended nor frozen, and whose options let Redis refuse changes of configuration. */
    static RedisServer startShared(Supplier<List<String>> options) {
        return start(Kind.SHARED, options);
    }

    private static RedisServer start(Kind kind, Supplier<List<String>> options) {
        String log = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            // The port may be taken between finding and using it. The next attempt uses another port.
            RedisServer server = new RedisServer(kind, Ports.free(), options.get());
            if (server.awaitAnswer()) {
                return server;
            }
            log = server.process.log();
            server.process.close();
        }
        throw new IllegalStateException("redis-server did not answer in " + ATTEMPTS + " attempts: " + log);
    }

    public int port() {
        return port;
    }

    /**
     * Returns the address, with the password of {@code --requirepass} if there is one. That of the shared server states a timeout of a
     * minute, so that a Redis which a busy machine stops for a moment is not taken for a slow one.
     */
    public String uri() {
        return "redis://" + credentials() + "127.0.0.1:" + port + patience();
    }

    /** Returns the part of the address that states the timeout; empty for a server of the test's own. */
    String patience() {
        return shared ? "?timeout=1m" : "";
    }

    /** Sends a command on its own connection and returns the reply, even if it is an error. */
    public RedisReply command(String... command) {
        try (RedisConnection connection = connect()) {
            RedisReply reply = connection.command(command);
            if (reply instanceof RedisReply.Failure refused && refused.error().startsWith("NOPERM")) {
                mayChange(command[0]);
            }
            return reply;
        }
    }

    /** Opens a connection to this server, authenticated if it has {@code --requirepass}. */
    public RedisConnection connect() {
        return authenticated(RedisConnection.to(port));
    }

    /** Returns a field of {@code INFO}, for example {@code info("role")}. */
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
        mayChange("kill");
        process.kill();
    }

    /** Starts the server again on the same port, empty. Kills it first if it is running. */
    public void restart() {
        mayChange("restart");
        process.relaunch();
        if (!awaitAnswer()) {
            throw new IllegalStateException("redis-server did not come back on port " + port + ": " + process.log());
        }
    }

    /** Freezes the server (SIGSTOP): it accepts connections and never answers. */
    public void freeze() {
        mayChange("freeze");
        process.signal("STOP");
    }

    /** Lets the server continue (SIGCONT). */
    public void thaw() {
        process.signal("CONT");
    }

    @Override
    public void close() {
        mayChange("close");
        process.close();
    }

    /** Fails if other test classes also use this server. */
    void mayChange(String how) {
        if (shared) {
            throw new IllegalStateException(
                    how + " on a shared server (expected: a server of the test's own, RedisServer.start())");
        }
    }

    /** Returns the replication offset of this server, comparable with the offsets of its primary or replicas. */
    long offset() {
        return Long.parseLong(info(info("role").equals("slave") ? "slave_repl_offset" : "master_repl_offset"));
    }

    /** Returns whether the server follows this primary and the link is up. */
    boolean followsPrimary(int primaryPort) {
        return info("role").equals("slave")
                && info("master_port").equals(Integer.toString(primaryPort))
                && info("master_link_status").equals("up");
    }

    Optional<String> password() {
        return option("--requirepass");
    }

    /** Returns the value of an option that the server was started with. */
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

    private List<String> commandLine(Kind kind, Path folder) {
        List<String> line = new ArrayList<>();
        line.add("redis-server");
        if (kind == Kind.SENTINEL) {
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
            // A refusal for lack of a password counts as an answer. A server that identifies itself must be this
            // server.
            RedisReply reply = connection.command("INFO", "server");
            return reply instanceof RedisReply.Failure refused
                    ? !refused.error().startsWith("LOADING")
                    : reply.text().contains("process_id:" + process.pid() + "\r\n");
        } catch (UncheckedIOException e) {
            return false;
        }
    }
}
