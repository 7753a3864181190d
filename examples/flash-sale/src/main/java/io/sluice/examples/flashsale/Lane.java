package io.sluice.examples.flashsale;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;

/** The connections to one instance, and who waits for them. For one thread. */
final class Lane {

    private final int port;
    private final byte[] request;
    private final int most;
    private final Selector selector;
    private final Answers answers;
    private final List<Connection> all = new ArrayList<>();
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final Queue<Long> waiting = new ArrayDeque<>();

    Lane(int port, String method, String path, int most, Selector selector, Answers answers) {
        this.port = port;
        this.request = (method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nContent-Length: 0\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        this.most = most;
        this.selector = selector;
        this.answers = answers;
    }

    /** Sends a request, or has it wait for the next connection that is free. */
    void send(long dueNanos) {
        Connection connection = idle.pollLast();
        if (connection == null && all.size() < most) {
            connection = open();
            if (connection == null) {
                answers.addLost();
                return;
            }
        }
        if (connection == null) {
            waiting.add(dueNanos);
        } else {
            connection.send(request, dueNanos);
        }
    }

    /** An answer has come whole. */
    void answered(Connection connection, int status, boolean saysWhen, long dueNanos) {
        answers.add(status, saysWhen, System.nanoTime() - dueNanos);
        Long next = waiting.poll();
        if (next == null) {
            idle.addLast(connection);
        } else {
            connection.send(request, next);
        }
    }

    /** A connection has broken, and with it the request that was under way. */
    void broken(Connection connection, boolean busy) {
        all.remove(connection);
        idle.remove(connection);
        if (busy) {
            answers.addLost();
        }
        while (!waiting.isEmpty() && all.size() < most) {
            send(waiting.remove());
        }
    }

    void close() {
        List.copyOf(all).forEach(Connection::close);
    }

    private Connection open() {
        try {
            Connection connection = new Connection(this, port, selector);
            all.add(connection);
            return connection;
        } catch (IOException e) {
            return null;
        }
    }
}
