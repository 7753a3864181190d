package io.sluice.center.identity;

import io.sluice.center.remote.RemoteSockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sockets to an LDAP server. The JDK's client for LDAP creates this factory by its name, so the factory receives its conversation
 * through the current thread.
 */
public final class LdapSockets extends SocketFactory {

    private static final ThreadLocal<@Nullable LdapSockets> CURRENT = new ThreadLocal<>();

    private final RemoteSockets sockets;
    private final boolean isTls;

    private LdapSockets(RemoteSockets sockets, boolean isTls) {
        this.sockets = sockets;
        this.isTls = isTls;
    }

    /** Returns a factory for the conversation of this thread. Called by the JDK. */
    public static SocketFactory getDefault() {
        @Nullable LdapSockets current = CURRENT.get();
        if (current == null) {
            throw new IllegalStateException("no server to connect to");
        }
        return current;
    }

    /**
     * Sets the sockets of this thread.
     *
     * @param isTls whether connections start with TLS
     */
    static void use(RemoteSockets sockets, boolean isTls) {
        CURRENT.set(new LdapSockets(sockets, isTls));
    }

    static void clear() {
        CURRENT.remove();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        Socket plain = sockets.createSocket(host, port);
        return isTls ? sockets.createSocket(plain, host, port, true) : plain;
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket(host.getHostName(), port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
        return createSocket(host, port);
    }
}
