package io.sluice.node.foreign;

import io.sluice.node.config.DoorSection;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.door.Door;
import io.sluice.node.door.DoorMeans;
import io.sluice.node.door.DoorProvider;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** A door as a stranger writes it. A client sends the names of users, one on each line, and gets {@code pass} or {@code refuse} back. */
public final class LineDoor implements DoorProvider {

    /** The steps of all doors of this kind, in their order. */
    static final List<String> STEPS = new CopyOnWriteArrayList<>();

    @Override
    public String section() {
        return "lines";
    }

    @Override
    public Optional<Door> create(DoorMeans means) throws StartFailedException {
        Optional<DoorSection> section = means.section(section());
        if (section.isEmpty()) {
            return Optional.empty();
        }
        long port = section.get()
                .read(List.of("port"), fields -> fields.whole("port", 0, 65_535).orElse(0L));
        return Optional.of(new Listening((int) port, means.evaluator()));
    }

    private static final class Listening implements Door {

        private final int port;
        private final Evaluator evaluator;
        private final List<AutoCloseable> open = new ArrayList<>();

        Listening(int port, Evaluator evaluator) {
            this.port = port;
            this.evaluator = evaluator;
        }

        @Override
        public String name() {
            return "lines";
        }

        @Override
        public void open() throws StartFailedException {
            try {
                ServerSocket server = new ServerSocket(port, 10, InetAddress.getLoopbackAddress());
                open.add(server);
                STEPS.add("open " + server.getLocalPort());
                Thread thread = new Thread(() -> accept(server), "lines");
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                throw new StartFailedException("doors.lines.port: in use (expected: a free port)", List.of());
            }
        }

        private void accept(ServerSocket server) {
            try (Socket client = server.accept();
                    BufferedReader in =
                            new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
                    PrintWriter out = new PrintWriter(client.getOutputStream(), true, StandardCharsets.UTF_8)) {
                for (String user = in.readLine(); user != null; user = in.readLine()) {
                    CompletionStage<Ruling> ruling = evaluator.evaluate(Attributes.of(Map.of("user", user)), 1);
                    boolean allowed =
                            ((Ruling.Settled) ruling.toCompletableFuture().join()).allowed();
                    out.println(allowed ? "pass" : "refuse");
                }
            } catch (IOException e) {
                // The door was closed.
            }
        }

        @Override
        public void warmUp(BooleanSupplier more) {
            STEPS.add("warm up");
        }

        @Override
        public void serve() {
            STEPS.add("serve");
        }

        @Override
        public void leave() {
            STEPS.add("leave");
        }

        @Override
        public long refusedConnections() {
            return 7;
        }

        @Override
        public List<String> findings() {
            return List.of("lines are slow today");
        }

        @Override
        public void close() {
            STEPS.add("close");
            for (AutoCloseable each : open) {
                try {
                    each.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
