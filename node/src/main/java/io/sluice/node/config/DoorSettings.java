package io.sluice.node.config;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The address of a node's port, and the access to it. Immutable.
 *
 * @param host the address to listen on
 * @param port the port; 0 takes any free port
 */
public record DoorSettings(String host, int port, DoorAccess access) {

    private static final int HIGHEST_PORT = 65_535;

    public DoorSettings {
        checkHost("bind", host);
        checkPort("port", port);
    }

    /** Plain text for the processes of this machine. */
    public static DoorSettings onLoopback(int port) {
        return new DoorSettings(NodeConfig.LOOPBACK, port, DoorAccess.OPEN);
    }

    public DoorSettings withAccess(DoorAccess other) {
        return new DoorSettings(host, port, other);
    }

    /** Returns whether other machines may reach the port although callers need no proof. */
    public boolean isExposed() {
        return !access.isProtected() && !isLoopback();
    }

    /** Only literal addresses and {@code localhost} count: the address of another name may change after the start. */
    private boolean isLoopback() {
        byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        try {
            return address == null
                    ? host.equals("localhost")
                    : InetAddress.getByAddress(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    static void checkHost(String name, String host) {
        if (host.isBlank()) {
            throw new IllegalArgumentException(name + ": empty (expected: an address such as 127.0.0.1)");
        }
    }

    static void checkPort(String name, int port) {
        if (port < 0 || port > HIGHEST_PORT) {
            throw new IllegalArgumentException(name + ": " + port + " (expected: 0.." + HIGHEST_PORT + ")");
        }
    }
}
