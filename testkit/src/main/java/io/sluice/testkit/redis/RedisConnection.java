package io.sluice.testkit.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One connection to a Redis on loopback that sends exactly the given commands, in RESP2: for setting up servers, and for
 * replies that a client would hide. Not thread-safe.
 */
public final class RedisConnection implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final Socket socket;
    private final InputStream in;
    private final Charset charset;

    private RedisConnection(Socket socket, Charset charset) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.charset = charset;
    }

    /** Connects to a loopback port, with a timeout of a minute for connecting and for each reply. */
    public static RedisConnection to(int port) {
        return to(port, TIMEOUT);
    }

    /** Connects to a loopback port with the given timeout. */
    public static RedisConnection to(int port, Duration timeout) {
        return to(port, timeout, StandardCharsets.UTF_8);
    }

    static RedisConnection to(int port, Duration timeout, Charset charset) {
        int millis = Math.toIntExact(timeout.toMillis());
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), millis);
            socket.setSoTimeout(millis);
            socket.setTcpNoDelay(true);
            return new RedisConnection(socket, charset);
        } catch (IOException e) {
            closeQuietly(socket);
            throw new UncheckedIOException(e);
        }
    }

    /** Sets the timeout for replies from now on. */
    public void patience(Duration timeout) {
        try {
            socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a command and returns its reply, even if the reply is an error. */
    public RedisReply command(String... command) {
        send(command);
        return receive();
    }

    /** Sends a command without waiting. {@link #receive} returns the replies in order. */
    public void send(String... command) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(("*" + command.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
        for (String part : command) {
            byte[] body = part.getBytes(charset);
            bytes.writeBytes(("$" + body.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            bytes.writeBytes(body);
            bytes.writeBytes(new byte[] {'\r', '\n'});
        }
        try {
            bytes.writeTo(socket.getOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the next reply and returns it. */
    public RedisReply receive() {
        try {
            String line = line();
            String rest = line.substring(1);
            return switch (line.charAt(0)) {
                case '+' -> new RedisReply.Text(rest);
                case '-' -> new RedisReply.Failure(rest);
                case ':' -> new RedisReply.Whole(Long.parseLong(rest));
                case '$' -> bulk(Integer.parseInt(rest));
                case '*' -> many(Integer.parseInt(rest));
                default -> throw new IllegalStateException("reply: \"" + line + "\" (expected: RESP2)");
            };
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        closeQuietly(socket);
    }

    private RedisReply bulk(int length) throws IOException {
        if (length < 0) {
            return new RedisReply.Nothing();
        }
        byte[] body = in.readNBytes(length + 2);
        if (body.length < length + 2) {
            throw new EOFException("connection closed within a reply");
        }
        return new RedisReply.Text(new String(body, 0, length, charset));
    }

    private RedisReply many(int count) {
        if (count < 0) {
            return new RedisReply.Nothing();
        }
        List<RedisReply> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(receive());
        }
        return new RedisReply.Many(parts);
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("connection closed");
            }
            line.write(next);
        }
        String text = line.toString(charset);
        if (text.length() < 2 || !text.endsWith("\r")) {
            throw new IllegalStateException("reply: \"" + text + "\" (expected: RESP2)");
        }
        return text.substring(0, text.length() - 1);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is closed in both cases.
        }
    }
}
