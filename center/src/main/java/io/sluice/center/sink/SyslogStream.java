package io.sluice.center.sink;

import io.sluice.runtime.center.CenterTrust;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Syslog over TCP (RFC 6587, with the length of each message in front) or TLS (RFC 5425). Servers send no answers, so the sink
 * reads to notice that a server has closed the connection. Rows that were on the way at that moment may be lost.
 */
final class SyslogStream implements SyslogWire {

    private static final int MOST_BYTES = 65_536;
    private static final int CONNECTING_MILLIS = 5_000;
    private static final int HANDSHAKE_MILLIS = 10_000;
    private static final int LOOK_MILLIS = 1;

    private final URI address;
    private final Optional<Path> ca;
    private volatile @Nullable Socket socket;

    SyslogStream(URI address, Optional<Path> ca) {
        this.address = address;
        this.ca = ca;
    }

    @Override
    public int mostBytes() {
        return MOST_BYTES;
    }

    @Override
    public void send(List<byte[]> messages) throws IOException {
        Socket open = socket;
        if (open == null || isEnded(open)) {
            disconnect();
            open = connect();
        }
        OutputStream out = new BufferedOutputStream(open.getOutputStream(), MOST_BYTES);
        for (byte[] message : messages) {
            out.write((message.length + " ").getBytes(StandardCharsets.US_ASCII));
            out.write(message);
        }
        out.flush();
        if (isEnded(open)) {
            throw new IOException("the server closed the connection");
        }
    }

    @Override
    public void disconnect() {
        Socket open = socket;
        socket = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // The connection is no longer used.
            }
        }
    }

    static InetSocketAddress server(URI address) throws UnknownHostException {
        String host = address.getHost();
        String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        InetSocketAddress server = new InetSocketAddress(name, address.getPort());
        if (server.isUnresolved()) {
            throw new UnknownHostException("the name " + name + " has no address");
        }
        return server;
    }

    private Socket connect() throws IOException {
        Socket plain = new Socket();
        // The field is set before connecting, so that another thread can end the attempt.
        socket = plain;
        plain.connect(server(address), CONNECTING_MILLIS);
        plain.setKeepAlive(true);
        plain.setSoTimeout(HANDSHAKE_MILLIS);
        Socket open = address.getScheme().equals("tls") ? encrypted(plain) : plain;
        open.setSoTimeout(LOOK_MILLIS);
        socket = open;
        return open;
    }

    private Socket encrypted(Socket plain) throws IOException {
        try {
            SSLSocketFactory factory = ca.isPresent()
                    ? CenterTrust.context(ca.get()).getSocketFactory()
                    : (SSLSocketFactory) SSLSocketFactory.getDefault();
            SSLSocket open = (SSLSocket) factory.createSocket(plain, address.getHost(), address.getPort(), true);
            SSLParameters parameters = open.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            open.setSSLParameters(parameters);
            open.startHandshake();
            return open;
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static boolean isEnded(Socket open) {
        try {
            return open.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
