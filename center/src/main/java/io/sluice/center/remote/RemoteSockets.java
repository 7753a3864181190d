package io.sluice.center.remote;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sockets within the bounds of a conversation, for libraries that use other protocols than HTTP. The bytes below TLS are counted, and the
 * deadline closes the connection below TLS, because TLS would wait for the server. A library gets a plain socket, and wraps it with this
 * factory where it wants TLS.
 */
public final class RemoteSockets extends SSLSocketFactory {

    private final Conversation conversation;
    private final SSLSocketFactory tls;

    /**
     * Creates a factory.
     *
     * @param tls the factory that wraps sockets in TLS
     */
    public RemoteSockets(Conversation conversation, SSLSocketFactory tls) {
        this.conversation = conversation;
        this.tls = tls;
    }

    /** Returns a factory of plain sockets, for libraries that use TLS with every factory that supports it. */
    public SocketFactory plain() {
        return new SocketFactory() {
            @Override
            public Socket createSocket() throws IOException {
                return RemoteSockets.this.createSocket();
            }

            @Override
            public Socket createSocket(String host, int port) throws IOException {
                return RemoteSockets.this.createSocket(host, port);
            }

            @Override
            public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
                return RemoteSockets.this.createSocket(host, port);
            }

            @Override
            public Socket createSocket(InetAddress host, int port) throws IOException {
                return RemoteSockets.this.createSocket(host, port);
            }

            @Override
            public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
                return RemoteSockets.this.createSocket(host, port);
            }
        };
    }

    @Override
    public Socket createSocket() throws IOException {
        return new BoundedSocket();
    }

    @Override
    public Socket createSocket(Socket plain, String host, int port, boolean autoClose) throws IOException {
        return tls.createSocket(
                plain instanceof BoundedSocket ? plain : new BorrowedSocket(plain), host, port, autoClose);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        Socket socket = createSocket();
        socket.connect(new InetSocketAddress(host, port));
        return socket;
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        Socket socket = createSocket();
        socket.connect(new InetSocketAddress(host, port));
        return socket;
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
        return createSocket(host, port);
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return tls.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return tls.getSupportedCipherSuites();
    }

    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the end of the conversation must not wait for a reader
    private final class BoundedSocket extends Socket {

        private @Nullable InputStream in;

        BoundedSocket() throws IOException {
            conversation.hold(this);
        }

        @Override
        public void connect(SocketAddress server) throws IOException {
            connect(server, 0);
        }

        @Override
        public void connect(SocketAddress server, int timeoutMillis) throws IOException {
            try {
                super.connect(server, timeoutMillis);
            } catch (IOException e) {
                close();
                throw e;
            }
        }

        @Override
        public synchronized InputStream getInputStream() throws IOException {
            InputStream bounded = in;
            if (bounded == null) {
                bounded = conversation.bounded(super.getInputStream());
                in = bounded;
            }
            return bounded;
        }

        @Override
        public void close() throws IOException {
            conversation.release(this);
            super.close();
        }
    }

    /** A socket that a library has created and connected itself, for use by TLS. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the other socket has its own locks
    private final class BorrowedSocket extends Socket {

        private final Socket socket;
        private final InputStream in;

        BorrowedSocket(Socket socket) throws IOException {
            this.socket = socket;
            this.in = conversation.bounded(socket.getInputStream());
            conversation.hold(socket);
        }

        @Override
        public InputStream getInputStream() {
            return in;
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return socket.getOutputStream();
        }

        @Override
        public boolean isConnected() {
            return socket.isConnected();
        }

        @Override
        public boolean isBound() {
            return socket.isBound();
        }

        @Override
        public boolean isClosed() {
            return socket.isClosed();
        }

        @Override
        public boolean isInputShutdown() {
            return socket.isInputShutdown();
        }

        @Override
        public boolean isOutputShutdown() {
            return socket.isOutputShutdown();
        }

        @Override
        public void shutdownInput() throws IOException {
            socket.shutdownInput();
        }

        @Override
        public void shutdownOutput() throws IOException {
            socket.shutdownOutput();
        }

        @Override
        public @Nullable InetAddress getInetAddress() {
            return socket.getInetAddress();
        }

        @Override
        public int getPort() {
            return socket.getPort();
        }

        @Override
        public int getLocalPort() {
            return socket.getLocalPort();
        }

        @Override
        public InetAddress getLocalAddress() {
            return socket.getLocalAddress();
        }

        @Override
        public @Nullable SocketAddress getRemoteSocketAddress() {
            return socket.getRemoteSocketAddress();
        }

        @Override
        public @Nullable SocketAddress getLocalSocketAddress() {
            return socket.getLocalSocketAddress();
        }

        @Override
        public void setSoTimeout(int millis) throws SocketException {
            socket.setSoTimeout(millis);
        }

        @Override
        public int getSoTimeout() throws SocketException {
            return socket.getSoTimeout();
        }

        @Override
        public int getSoLinger() throws SocketException {
            return socket.getSoLinger();
        }

        @Override
        public void close() throws IOException {
            conversation.release(socket);
            socket.close();
        }
    }
}
