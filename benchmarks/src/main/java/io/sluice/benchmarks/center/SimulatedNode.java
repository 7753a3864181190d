package io.sluice.benchmarks.center;

import io.sluice.runtime.data.DataReport;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node that reads the rules of a center over HTTP and confirms them, but does not parse them: two hundred nodes on the machine of
 * the center would otherwise measure themselves.
 */
final class SimulatedNode implements AutoCloseable {

    private final CenterCaller center;
    private final String id;
    private final Socket socket;
    private final AtomicLong beat = new AtomicLong();
    private volatile long version;
    private volatile String digest = "";
    private volatile long receivedNanos;

    SimulatedNode(CenterCaller center, String id) throws IOException {
        this.center = center;
        this.id = id;
        this.socket =
                new Socket(InetAddress.getLoopbackAddress(), center.address().getPort());
        socket.getOutputStream()
                .write(("GET /api/nodes/rules?node=" + id + " HTTP/1.0\r\nHost: center\r\nAuthorization: Bearer "
                                + center.token() + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        Thread reading = new Thread(this::read, id);
        reading.setDaemon(true);
        reading.start();
    }

    /** Returns the version whose rules arrived last. */
    long version() {
        return version;
    }

    /** Returns when they had arrived. */
    long receivedNanos() {
        return receivedNanos;
    }

    void report() {
        report(Optional.empty());
    }

    /** Reports with data about its traffic. */
    void report(DataReport data) {
        report(Optional.of(data));
    }

    private void report(Optional<DataReport> data) {
        NodeReport report = new NodeReport(
                new NodeIdentity(id, NodeReport.Kind.NODE, id, "simulated", 1),
                beat.incrementAndGet(),
                RulesInForce.of(version, digest, version == 0 ? 0 : 1),
                NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED));
        var unused = center.report(id, data.map(report::with).orElse(report).toJson());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void read() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))) {
            String event = "";
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("id: ")) {
                    event = line.substring("id: ".length());
                } else if (line.isEmpty() && !event.isEmpty()) {
                    receivedNanos = System.nanoTime();
                    digest = event.substring(event.indexOf(':') + 1);
                    version = Long.parseLong(event.substring(0, event.indexOf(':')));
                    event = "";
                    report();
                }
            }
        } catch (IOException e) {
            // Closed.
        }
    }
}
