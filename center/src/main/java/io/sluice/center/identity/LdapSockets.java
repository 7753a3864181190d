package io.sluice.center.identity;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sockets to an LDAP server with a private authority. The JDK's client for LDAP creates it by its name, so the authority of the
 * current thread's server is handed over through the thread.
 */
public final class LdapSockets extends SocketFactory {

    private static final ThreadLocal<@Nullable SSLContext> TRUST = new ThreadLocal<>();

    private final SocketFactory sockets;

    private LdapSockets(SocketFactory sockets) {
        this.sockets = sockets;
    }

    /** Returns a factory for the server that this thread talks to. The JDK calls this. */
    public static SocketFactory getDefault() {
        @Nullable SSLContext trust = TRUST.get();
        if (trust == null) {
            throw new IllegalStateException("no server to connect to");
        }
        return new LdapSockets(trust.getSocketFactory());
    }

    static void trust(SSLContext context) {
        TRUST.set(context);
    }

    static void clear() {
        TRUST.remove();
    }

    @Override
    public Socket createSocket() throws IOException {
        return sockets.createSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return sockets.createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
        return sockets.createSocket(host, port, from, fromPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return sockets.createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
        return sockets.createSocket(host, port, from, fromPort);
    }
}
