package io.sluice.node;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP/2 connection, frame by frame, for things that no proper client does. A separate thread reads what arrives. */
public final class RawHttp2 implements AutoCloseable {

    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int PRIORITY = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;

    private static final int CONTINUATION = 9;
    private static final int CANCEL = 8;
    private static final int ACK = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int INITIAL_WINDOW = 4;

    private final Socket socket;
    private final Map<Integer, AtomicInteger> seen = new ConcurrentHashMap<>();
    private final AtomicInteger room = new AtomicInteger(65_535);
    private final AtomicInteger data = new AtomicInteger();
    private volatile boolean closed;
    private volatile int goAwayError = -1;
    private int streams;

    /** @param window how many bytes of each answer the server may send before more are requested */
    public RawHttp2(int port, int window) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(
                SETTINGS,
                0,
                0,
                ByteBuffer.allocate(6)
                        .putShort((short) INITIAL_WINDOW)
                        .putInt(window)
                        .array());
        Thread reader = new Thread(this::read, "raw-http2");
        reader.setDaemon(true);
        reader.start();
    }

    /** Sends a request without a body and returns its stream. */
    public int get(String path) throws IOException {
        return head(0x82, path, END_HEADERS | END_STREAM);
    }

    /** Sends the head of a request with these names and values; the body follows. */
    public int post(String path, String... namesAndValues) throws IOException {
        return head(0x83, path, END_HEADERS, namesAndValues);
    }

    /** Sends a part of a body, never the last. Waits for window space; returns false if the connection was closed before. */
    public boolean body(int stream, int bytes) throws IOException {
        while (room.get() < bytes) {
            if (closed) {
                return false;
            }
            Thread.onSpinWait();
        }
        room.addAndGet(-bytes);
        frame(DATA, 0, stream, new byte[bytes]);
        return true;
    }

    /** Ends a request with these trailers. */
    public void trailers(int stream, String... namesAndValues) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        literals(block, namesAndValues);
        frame(HEADERS, END_HEADERS | END_STREAM, stream, block.toByteArray());
    }

    public void reset(int stream) throws IOException {
        frame(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
    }

    /** Allows this many more bytes of answers, for all streams together. */
    public void welcome(int bytes) throws IOException {
        frame(WINDOW_UPDATE, 0, 0, ByteBuffer.allocate(4).putInt(bytes).array());
    }

    /** Returns how many bytes of answer bodies have arrived. */
    public int data() {
        return data.get();
    }

    /** Sends a head that announces a continuation. */
    public int unendedHead(String path) throws IOException {
        return head(0x82, path, 0);
    }

    /** Sends more of a head, never the last part. */
    public void moreHead(int stream, byte[] block) throws IOException {
        frame(CONTINUATION, 0, stream, block);
    }

    /** Sends the same frame many times, in one piece. */
    public void flood(int times, int type, int flags, int stream, byte[] payload) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] frame = bytes(type, flags, stream, payload);
        for (int i = 0; i < times; i++) {
            all.writeBytes(frame);
        }
        write(all.toByteArray());
    }

    /** Opens many streams, and sends one more frame for each, in one piece. */
    public void provoke(int times, int type, byte[] payload) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < times; i++) {
            int stream = 2 * streams++ + 1;
            all.writeBytes(bytes(HEADERS, END_HEADERS, stream, block(0x83, "/")));
            byte[] own = payload.length == 5
                    ? ByteBuffer.wrap(payload.clone()).putInt(0, stream).array()
                    : payload;
            all.writeBytes(bytes(type, 0, stream, own));
        }
        write(all.toByteArray());
    }

    /** Returns the error of the last {@code GOAWAY}; -1 before it. */
    public int goAwayError() {
        return goAwayError;
    }

    /** Returns how many frames of a type have arrived. */
    public int seen(int type) {
        AtomicInteger count = seen.get(type);
        return count == null ? 0 : count.get();
    }

    public boolean isClosed() {
        return closed;
    }

    /** Sends literals without Huffman coding, by the names of HPACK's static table. */
    private int head(int method, String path, int flags, String... namesAndValues) throws IOException {
        int stream = 2 * streams++ + 1;
        frame(HEADERS, flags, stream, block(method, path, namesAndValues));
        return stream;
    }

    private static byte[] block(int method, String path, String... namesAndValues) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.write(method);
        block.write(0x86);
        literal(block, 4, path);
        literal(block, 1, "x");
        literals(block, namesAndValues);
        return block.toByteArray();
    }

    private static void literals(ByteArrayOutputStream block, String... namesAndValues) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            block.write(0);
            block.write(namesAndValues[i].length());
            block.writeBytes(namesAndValues[i].getBytes(StandardCharsets.US_ASCII));
            block.write(namesAndValues[i + 1].length());
            block.writeBytes(namesAndValues[i + 1].getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static void literal(ByteArrayOutputStream block, int name, String value) {
        block.write(name);
        block.write(value.length());
        block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    public void frame(int type, int flags, int stream, byte[] payload) throws IOException {
        write(bytes(type, flags, stream, payload));
    }

    private static byte[] bytes(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    private void write(byte[] bytes) throws IOException {
        OutputStream out = socket.getOutputStream();
        synchronized (out) {
            out.write(bytes);
        }
    }

    private void read() {
        try {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                int lengthAndType = in.readInt();
                int type = lengthAndType & 0xff;
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                byte[] payload = in.readNBytes(lengthAndType >>> 8);
                if (type == SETTINGS && (flags & ACK) == 0) {
                    frame(SETTINGS, ACK, 0, new byte[0]);
                } else if (type == DATA) {
                    data.addAndGet(payload.length);
                } else if (type == GOAWAY) {
                    goAwayError = ByteBuffer.wrap(payload).getInt(4);
                } else if (type == WINDOW_UPDATE && stream == 0) {
                    room.addAndGet(ByteBuffer.wrap(payload).getInt());
                }
                seen.computeIfAbsent(type, any -> new AtomicInteger()).incrementAndGet();
            }
        } catch (IOException e) {
            closed = true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
