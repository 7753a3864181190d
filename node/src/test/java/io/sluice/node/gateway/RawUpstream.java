package io.sluice.node.gateway;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that runs a test's script for each connection, on a separate thread. */
public final class RawUpstream implements AutoCloseable {

    public final List<String> heads = new CopyOnWriteArrayList<>();
    public final AtomicInteger connections = new AtomicInteger();
    private final ServerSocket server;
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    /** Runs on a connection, which is closed afterwards. */
    @FunctionalInterface
    public interface Script {
        void play(RawClient caller) throws Exception;
    }

    public RawUpstream(Script script) throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("raw-upstream", () -> {
            while (true) {
                Socket socket = server.accept();
                open.add(socket);
                connections.incrementAndGet();
                start("raw-connection", () -> {
                    try (RawClient caller = new RawClient(socket)) {
                        script.play(caller);
                    }
                });
            }
        });
    }

    /** Answers every request on every connection with the same bytes, and keeps the requests. */
    public static RawUpstream answering(String answer) throws IOException {
        RawUpstream[] self = new RawUpstream[1];
        self[0] = new RawUpstream(caller -> {
            while (true) {
                String message = caller.message();
                if (message.isEmpty()) {
                    return;
                }
                self[0].heads.add(message);
                caller.send(answer);
            }
        });
        return self[0];
    }

    public URI origin() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort());
    }

    /** Returns the last request, head and body. */
    public String last() {
        return heads.get(heads.size() - 1);
    }

    private interface Task {
        void run() throws Exception;
    }

    private static void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (Exception closed) {
                        return;
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
