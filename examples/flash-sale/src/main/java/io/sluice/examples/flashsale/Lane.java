package io.sluice.examples.flashsale;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;

/** The connections to one instance, and the requests that wait for one. Not thread-safe. */
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

    /** Sends a request, or queues it until a connection is free. */
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

    /** Called when a response has arrived completely. */
    void answered(Connection connection, int status, boolean saysWhen, long dueNanos) {
        answers.add(status, saysWhen, System.nanoTime() - dueNanos);
        Long next = waiting.poll();
        if (next == null) {
            idle.addLast(connection);
        } else {
            connection.send(request, next);
        }
    }

    /** Called when a connection broke, together with the request that was in flight. */
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
