package io.sluice.center.identity;

import io.sluice.center.remote.RemoteSockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sockets to an LDAP server. The JDK's client for LDAP creates this factory by its name, so the conversation of the current thread is
 * handed over through the thread.
 */
public final class LdapSockets extends SocketFactory {

    private static final ThreadLocal<@Nullable LdapSockets> CURRENT = new ThreadLocal<>();

    private final RemoteSockets sockets;
    private final boolean isTls;

    private LdapSockets(RemoteSockets sockets, boolean isTls) {
        this.sockets = sockets;
        this.isTls = isTls;
    }

    /** Returns a factory for the conversation of this thread. The JDK calls this. */
    public static SocketFactory getDefault() {
        @Nullable LdapSockets current = CURRENT.get();
        if (current == null) {
            throw new IllegalStateException("no server to connect to");
        }
        return current;
    }

    /**
     * Makes this thread use some sockets.
     *
     * @param isTls whether connections begin with TLS
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
