package io.sluice.benchmarks.doors;

import io.sluice.benchmarks.doors.OpenLoop.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Sends requests over several connections in turn. A separate thread receives the answers. Any failure ends the process. */
final class Wires implements OpenLoop.Sender {

    private static final long UNTIL_ONE_IS_FREE_NANOS = 20_000;

    private final List<? extends Wire> wires;
    private int next;

    Wires(List<? extends Wire> wires) throws IOException {
        this.wires = wires;
        Selector selector = Selector.open();
        for (Wire wire : wires) {
            wire.channel.register(selector, SelectionKey.OP_READ, wire);
        }
        Thread receiving = new Thread(() -> receive(selector), "receiving");
        receiving.setDaemon(true);
        receiving.start();
    }

    @Override
    public void send(long number, Outcome outcome) {
        try {
            free().send(number, outcome);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the next connection that has room, waiting until there is one. */
    private Wire free() {
        for (int tries = 1; ; tries++) {
            Wire wire = wires.get(next);
            next = (next + 1) % wires.size();
            if (wire.take()) {
                return wire;
            }
            if (tries % wires.size() == 0) {
                LockSupport.parkNanos(UNTIL_ONE_IS_FREE_NANOS);
            }
        }
    }

    @SuppressWarnings("SystemExitOutsideMain") // otherwise the sender would wait for an answer forever
    private static void receive(Selector selector) {
        try {
            while (true) {
                selector.select(key -> {
                    try {
                        ((Wire) key.attachment()).receive();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            }
        } catch (IOException | RuntimeException e) {
            e.printStackTrace();
            System.exit(1);
        }
    }
}
