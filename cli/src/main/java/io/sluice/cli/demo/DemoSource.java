package io.sluice.cli.demo;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The source address of sample traffic. The gateway trusts this address, and no other program of this machine, to name the caller of a
 * request. If the system has no such address, the gateway has to trust this machine.
 */
public final class DemoSource {

    private static final String OWN = "127.77.0.1";

    private DemoSource() {}

    /** Returns whether sample traffic to a gateway on this host can have an address of its own. */
    public static boolean isApart(String gatewayHost) {
        try {
            return to(gatewayHost).isPresent();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    static Optional<InetAddress> to(String gatewayHost) throws UnknownHostException {
        InetAddress bound = InetAddress.getByName(gatewayHost);
        InetAddress own = InetAddress.getByName(OWN);
        boolean isReached = bound.isAnyLocalAddress() || (bound.isLoopbackAddress() && bound instanceof Inet4Address);
        return isReached && canBind(own) ? Optional.of(own) : Optional.empty();
    }

    private static boolean canBind(InetAddress address) {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(address, 0));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the networks that are trusted to name a caller's address in a header, for a configuration file. */
    static List<String> trusted(String gatewayHost, Optional<InetAddress> source) throws UnknownHostException {
        if (source.isPresent()) {
            return List.of(source.get().getHostAddress());
        }
        List<String> trusted = new ArrayList<>(List.of("127.0.0.0/8", "\"::1/128\""));
        InetAddress bound = InetAddress.getByName(gatewayHost);
        if (!bound.isLoopbackAddress() && !bound.isAnyLocalAddress()) {
            trusted.add("\"" + bound.getHostAddress().replaceAll("%.*", "") + "\"");
        }
        return trusted;
    }
}
