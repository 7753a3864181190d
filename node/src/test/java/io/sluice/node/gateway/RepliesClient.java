package io.sluice.node.gateway;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** An HTTP/1.1 connection byte by byte. */
public final class RepliesClient implements AutoCloseable {

    private final Socket socket;
    private final DataInputStream in;

    public RepliesClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
        in = new DataInputStream(socket.getInputStream());
    }

    /** An answer, with header names in lower case. */
    public record Reply(int status, Map<String, String> headers, String body) {

        public String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }

        /** Returns what the forwarder reported about the request. */
        public String told(String name) {
            for (String line : body.split("\n", -1)) {
                if (line.startsWith(name + "=")) {
                    return line.substring(name.length() + 1);
                }
            }
            throw new AssertionError(name + " in " + this);
        }
    }

    public Reply send(String method, String target, String body, String... headers) throws IOException {
        StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        boolean host = false;
        for (String header : headers) {
            head.append(header).append("\r\n");
            host |= header.toLowerCase(Locale.ROOT).startsWith("host:");
        }
        head.append(host ? "" : "Host: shop.example\r\n");
        head.append(body.isEmpty() ? "" : "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length + "\r\n");
        write(head + "\r\n" + body);
        return read(method.equals("HEAD"));
    }

    public void write(String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    public Reply read() throws IOException {
        return read(false);
    }

    public Reply read(boolean withoutBody) throws IOException {
        String first = line();
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).trim());
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        byte[] body = in.readNBytes(withoutBody ? 0 : length);
        return new Reply(Integer.parseInt(first.split(" ", -1)[1]), headers, new String(body, StandardCharsets.UTF_8));
    }

    /** Waits until the other side has closed the connection. */
    void awaitEnd() throws IOException {
        try {
            while (in.read() >= 0) {
                // Skips what still arrives.
            }
        } catch (IOException e) {
            // The connection is closed, too.
        }
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("after " + line);
            }
            if (c != '\r') {
                line.write(c);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
