package io.sluice.testkit.redis;

import io.sluice.testkit.database.MariaDbServer;
import io.sluice.testkit.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A loopback port in front of a server: Redis, or MariaDB. It passes all bytes on until a test makes it slow, silent, unavailable or wrong.
 * A fault applies to open and new connections, and to all bytes that are sent after the call returned.
 *
 * <p>A connection that has lost bytes delivers nothing more in that direction, even after {@link #resume}: it is as dead as a connection
 * that a firewall forgot, until it is {@linkplain #cut}. Delays are accurate to about a tenth of a millisecond on an idle machine, and hold
 * up to 4 MiB in each direction of a connection. Beyond 1,000 open connections, new connections are reset. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {

    private static final int MOST_CONNECTIONS = 1_000;
    private static final int CONNECT_MILLIS = 2_000;

    private enum Traffic {
        PASSES,
        LOSES_ANSWERS,
        SILENT
    }

    /** The answer to commands with these names, or to all commands if there are none. */
    private record OwnAnswer(String line, Set<String> names) {}

    /** A fault in which the server receives these words, one after the other on one connection, and the answer to the last word is lost. */
    private record Severed(List<String> words, Runnable then) {}

    private final int port;
    private final boolean isRedis;
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final Set<Socket> unheard = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder answered = new LongAdder();
    private final LongAdder bytesToServer = new LongAdder();
    private final LongAdder bytesToClient = new LongAdder();
    private volatile int targetPort;
    private volatile Traffic traffic = Traffic.PASSES;
    private volatile long delayToServer;
    private volatile long delayToClient;
    private volatile @Nullable OwnAnswer own;
    private final AtomicReference<@Nullable Severed> severed = new AtomicReference<>();
    private final LongAdder severedConnections = new LongAdder();
    private volatile Set<String> held = Set.of();
    private @Nullable Listener listener;
    private boolean closed;

    private FaultProxy(int targetPort, int port, boolean isRedis) {
        this.isRedis = isRedis;
        this.targetPort = targetPort;
        this.port = port;
    }

    /** Starts a proxy in front of a server. */
    public static FaultProxy before(RedisServer server) {
        return before(server.port());
    }

    /** Starts a proxy in front of a loopback port. */
    public static FaultProxy before(int port) {
        return before(port, true);
    }

    /** Starts a proxy in front of MariaDB. It does not answer commands itself. */
    public static FaultProxy before(MariaDbServer server) {
        return before(server.port(), false);
    }

    private static FaultProxy before(int port, boolean isRedis) {
        FaultProxy proxy = new FaultProxy(port, Ports.free(), isRedis);
        proxy.listen();
        return proxy;
    }

    public int port() {
        return port;
    }

    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Delays bytes by this long in each direction. They keep their order. */
    public void delay(Duration eachWay) {
        delay(eachWay, eachWay);
    }

    /** Delays bytes to the server and to the client. They keep their order. */
    public void delay(Duration toServer, Duration toClient) {
        if (toServer.isNegative() || toClient.isNegative()) {
            throw new IllegalArgumentException("delay: " + toServer + ", " + toClient + " (expected: 0 or more)");
        }
        delayToServer = toServer.toNanos();
        delayToClient = toClient.toNanos();
    }

    /** Blocks all bytes, even the end of a connection. New connections are accepted, or refused after {@link #stopListening}. */
    public void silence() {
        traffic = Traffic.SILENT;
    }

    /** Lets requests reach the server, and loses its answers. */
    public void loseAnswers() {
        traffic = Traffic.LOSES_ANSWERS;
    }

    /**
     * Loses one answer: of the next connection to MariaDB that sends these words one after the other, such as an {@code INSERT} and {@code
     * COMMIT}. The server receives them. When it answers the last word, the connection is reset instead.
     *
     * @param then the action before the connection is reset, such as {@link #stopListening}
     */
    public void loseAnswerTo(Runnable then, String... words) {
        severed.set(new Severed(List.of(words), then));
    }

    /** Returns the number of connections that were reset by {@link #loseAnswerTo}. */
    public long severed() {
        return severedConnections.sum();
    }

    /**
     * Answers commands itself instead of passing them on.
     *
     * @param error the error as Redis sends it, without the minus sign: {@code "LOADING Redis is loading the dataset in memory"}
     * @param names the names of the commands, such as {@code "FCALL"}; all commands if there are none
     */
    public void answer(String error, String... names) {
        if (error.isEmpty() || error.contains("\r") || error.contains("\n")) {
            throw new IllegalArgumentException("error: \"" + error + "\" (expected: one line)");
        }
        String line = (error.startsWith("-") ? "" : "-") + error + "\r\n";
        Set<String> capitals =
                Stream.of(names).map(name -> name.toUpperCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
        own = new OwnAnswer(line, capitals);
    }

    /**
     * Holds back commands with these names, and all later bytes on the same connection. {@link #resume} delivers them, even if their client
     * has left meanwhile: they arrive late, as after a pause of the network.
     */
    public void hold(String... names) {
        held = Stream.of(names).map(name -> name.toUpperCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the number of connections that are held back. */
    public long holding() {
        return connections.stream().filter(ProxiedConnection::isHeld).count();
    }

    /** Passes all bytes on again without delay, and listens again. */
    public void resume() {
        held = Set.of();
        connections.forEach(ProxiedConnection::release);
        own = null;
        delay(Duration.ZERO);
        traffic = Traffic.PASSES;
        listen();
    }

    /** Resets all connections. */
    public void cut() {
        unheard.forEach(FaultProxy::reset);
        unheard.clear();
        connections.forEach(ProxiedConnection::cut);
    }

    /** Leads to another server from now on and resets the connections to the previous one, like an address that moves. */
    public void redirect(RedisServer server) {
        targetPort = server.port();
        cut();
    }

    /** Refuses new connections; open connections stay. */
    public synchronized void stopListening() {
        if (listener != null) {
            listener.close();
            listener = null;
        }
    }

    /** Listens again, on the same port. */
    public synchronized void listen() {
        if (listener == null && !closed) {
            listener = new Listener();
        }
    }

    /** Returns the number of accepted connections. */
    public long connections() {
        return accepted.sum();
    }

    /** Returns the number of open connections. */
    public int open() {
        return connections.size() + unheard.size();
    }

    /** Returns the number of commands that the proxy answered itself. */
    public long answered() {
        return answered.sum();
    }

    /** Returns the number of bytes that the proxy wrote to the server. */
    public long bytesToServer() {
        return bytesToServer.sum();
    }

    /** Returns the number of bytes that the proxy wrote to clients, both the server's bytes and its own. */
    public long bytesToClient() {
        return bytesToClient.sum();
    }

    /** Resets all connections, and waits for all threads to end. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            stopListening();
        }
        cut();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isRedis() {
        return isRedis;
    }

    /** Returns the number of the words that a connection has sent, given the number before these bytes. */
    int sent(int before, byte[] bytes) {
        Severed current = severed.get();
        if (current == null || before >= current.words.size()) {
            return 0;
        }
        return new String(bytes, StandardCharsets.ISO_8859_1).contains(current.words.get(before)) ? before + 1 : before;
    }

    /** Returns whether the answer to a connection that has sent this number of the words is lost. It is lost once. */
    boolean severs(int sent) {
        Severed current = severed.get();
        if (current == null || sent < current.words.size() || !severed.compareAndSet(current, null)) {
            return false;
        }
        current.then.run();
        severedConnections.increment();
        return true;
    }

    boolean loses(boolean toServer) {
        return traffic == Traffic.SILENT || (traffic == Traffic.LOSES_ANSWERS && !toServer);
    }

    long delayNanos(boolean toServer) {
        return toServer ? delayToServer : delayToClient;
    }

    boolean holds(String command) {
        return held.contains(command);
    }

    byte @Nullable [] answerTo(String command) {
        OwnAnswer current = own;
        if (current == null || !(current.names.isEmpty() || current.names.contains(command))) {
            return null;
        }
        answered.increment();
        return current.line.getBytes(StandardCharsets.UTF_8);
    }

    void count(boolean toServer, int bytes) {
        (toServer ? bytesToServer : bytesToClient).add(bytes);
    }

    void forget(ProxiedConnection connection) {
        connections.remove(connection);
    }

    String threadName() {
        return "fault-proxy-" + port;
    }

    /** Closes a socket so that the other side notices immediately, even with bytes in transit. */
    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // The socket is already closed.
        }
    }

    private void accept(Socket client) {
        accepted.increment();
        if (open() >= MOST_CONNECTIONS) {
            reset(client);
        } else if (traffic == Traffic.SILENT) {
            unheard.add(client);
        } else {
            connect(client);
        }
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        int target = targetPort;
        try {
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target), CONNECT_MILLIS);
            server.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
        } catch (IOException e) {
            reset(server);
            reset(client);
            return;
        }
        ProxiedConnection connection = new ProxiedConnection(this, client, server);
        connections.add(connection);
        threads.removeIf(thread -> !thread.isAlive());
        threads.addAll(connection.start());
        if (target != targetPort) {
            connection.cut();
        }
    }

    private final class Listener {

        private final ServerSocket socket;
        private final Thread thread = new Thread(this::run, threadName() + "-listens");

        Listener() {
            try {
                socket = new ServerSocket();
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            try {
                while (true) {
                    accept(socket.accept());
                }
            } catch (IOException e) {
                // The socket is closed.
            }
        }

        void close() {
            try {
                socket.close();
                thread.join();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
