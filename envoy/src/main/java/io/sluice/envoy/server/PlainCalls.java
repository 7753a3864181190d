package io.sluice.envoy.server;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Makes gRPC calls over a plain socket, for {@link RateLimitWarmUp}. gRPC's own client would have to be loaded and compiled in the same
 * short time, and it is not needed after the start. Not thread-safe.
 */
final class PlainCalls implements Closeable {

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GO_AWAY = 7;
    private static final int WINDOW_UPDATE = 8;

    private static final int END_STREAM = 1;
    private static final int ACKNOWLEDGED = 1;
    private static final int END_HEADERS = 4;

    /** Header fields of HPACK's static table, and names from this table for fields with a text value. */
    private static final int METHOD_POST = 0x83;

    private static final int SCHEME_HTTP = 0x86;
    private static final int AUTHORITY = 0x01;
    private static final int PATH = 0x04;

    /**
     * The size of the flow-control window. It is enough for all answers of the warm-up; the default window would be full after some
     * thousand answers.
     */
    private static final int WINDOW = 1 << 30;

    /** The read timeout. The start does not wait that long, but closing a connection too early would cause errors in the server. */
    private static final int TIMEOUT_MILLIS = 60_000;

    private final Socket socket = new Socket();
    private final DataOutputStream out;
    private final DataInputStream in;
    private final byte[] headers;
    private int nextStream = 1;

    /** @param method the full name of the method, {@code /service/method} */
    PlainCalls(InetSocketAddress server, String method, String authorization) throws IOException {
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(server, TIMEOUT_MILLIS);
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 15));
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 15));
            headers = headers(method, authorization);
            out.write(PREFACE);
            frame(SETTINGS, 0, 0, new byte[0]);
            head(Integer.BYTES, WINDOW_UPDATE, 0, 0);
            out.writeInt(WINDOW);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Makes one call with each message, all concurrently, and returns when all calls have succeeded or failed. */
    void call(List<byte[]> messages) throws IOException {
        for (byte[] message : messages) {
            frame(HEADERS, END_HEADERS, nextStream, headers);
            head(1 + Integer.BYTES + message.length, DATA, END_STREAM, nextStream);
            out.writeByte(0);
            out.writeInt(message.length);
            out.write(message);
            nextStream += 2;
        }
        out.flush();
        int left = messages.size();
        while (left > 0) {
            left -= read() ? 1 : 0;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** Reads a frame and returns whether it ends a call. */
    private boolean read() throws IOException {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        in.skipNBytes(Integer.BYTES); // the stream
        byte[] payload = new byte[length];
        in.readFully(payload);
        switch (type) {
            case SETTINGS, PING -> {
                if ((flags & ACKNOWLEDGED) == 0) {
                    frame(type, ACKNOWLEDGED, 0, type == PING ? payload : new byte[0]);
                    out.flush();
                }
                return false;
            }
            case GO_AWAY -> throw new IOException("the server has closed the connection");
            case RESET -> {
                return true;
            }
            default -> {
                return (type == HEADERS || type == DATA) && (flags & END_STREAM) != 0;
            }
        }
    }

    private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
        head(payload.length, type, flags, stream);
        out.write(payload);
    }

    private void head(int length, int type, int flags, int stream) throws IOException {
        out.writeByte(length >> 16);
        out.writeShort(length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
    }

    private static byte[] headers(String method, String authorization) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.write(METHOD_POST);
        block.write(SCHEME_HTTP);
        block.write(AUTHORITY);
        text(block, "localhost");
        block.write(PATH);
        text(block, method);
        field(block, "content-type", "application/grpc");
        field(block, "te", "trailers");
        field(block, "authorization", authorization);
        return block.toByteArray();
    }

    private static void field(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    /** Writes a text of less than 127 characters. */
    private static void text(ByteArrayOutputStream block, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        block.write(bytes.length);
        block.write(bytes, 0, bytes.length);
    }
}
