package io.sluice.testkit.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Hands out free loopback ports, without repeating a port within thousands. They lie below the ports that the system uses for outgoing
 * connections, so a server that is down for some time finds its port free when it starts again.
 */
public final class Ports {

    private static final int FIRST = 16_000;
    private static final int COUNT = 16_000;
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

    private Ports() {}

    public static int free() {
        for (int attempt = 0; attempt < COUNT; attempt++) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // The port is taken; try the next port.
            }
        }
        throw new IllegalStateException("no free port in " + FIRST + ".." + (FIRST + COUNT - 1));
    }
}
