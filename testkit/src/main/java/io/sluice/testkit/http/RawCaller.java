package io.sluice.testkit.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Sends request targets unchanged, which no client library does. Keeps its connection open as long as the server does. */
public final class RawCaller implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 60_000;

    private final int port;
    private Socket socket;
    private InputStream in;

    public RawCaller(int port) throws IOException {
        this.port = port;
        connect();
    }

    public record Answer(int status, String body) {}

    /** Sends a GET for the target, byte for byte. */
    public Answer get(String target) throws IOException {
        return get(target, "localhost");
    }

    /** Sends a GET for the target at this host, byte for byte. */
    public Answer get(String target, String host) throws IOException {
        byte[] request =
                ("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
        try {
            return send(request);
        } catch (SocketTimeoutException silent) {
            reconnect();
            throw silent;
        } catch (IOException closedMeanwhile) {
            reconnect();
            return send(request);
        }
    }

    /** Opens another connection in place of the current one. */
    public void reconnect() throws IOException {
        socket.close();
        connect();
    }

    private void connect() throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Sends a whole request once. If the server closes the connection after its answer, the next request gets another one. */
    public Answer send(byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        String status = line();
        long length = -1;
        boolean chunked = false;
        boolean close = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String small = header.toLowerCase(Locale.ROOT);
            if (small.startsWith("content-length:")) {
                length = Long.parseLong(small.substring(15).trim());
            }
            chunked |= small.startsWith("transfer-encoding:") && small.contains("chunked");
            close |= small.startsWith("connection:") && small.contains("close");
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (chunked) {
            for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
                body.write(in.readNBytes(size));
                line();
            }
            line();
        } else if (length >= 0) {
            body.write(in.readNBytes((int) length));
        } else {
            body.write(in.readAllBytes());
            close = true;
        }
        if (close) {
            socket.close();
            connect();
        }
        return new Answer(Integer.parseInt(status.split(" ", 3)[1]), body.toString(StandardCharsets.UTF_8));
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int each = in.read(); each != '\n'; each = in.read()) {
            if (each < 0) {
                throw new IOException("the server closed the connection after: " + line);
            }
            if (each != '\r') {
                line.append((char) each);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
