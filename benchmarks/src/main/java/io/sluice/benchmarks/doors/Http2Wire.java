package io.sluice.benchmarks.doors;

import io.sluice.benchmarks.doors.OpenLoop.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Calls one gRPC method. Each call is a HEADERS and a DATA frame (RFC 9113). The first request adds its fields to the server's
 * dynamic table (RFC 7541); all others refer to them by index. An answer counts as successful if it has a message.
 */
final class Http2Wire extends Wire {

    private static final int MOST = 1_000;

    /** More than the number of streams that can lie between the oldest open stream and the newest. */
    private static final int RING = 1 << 16;

    private static final int HEAD = 9;
    private static final int DATA = 0x0;
    private static final int HEADERS = 0x1;
    private static final int RST_STREAM = 0x3;
    private static final int SETTINGS = 0x4;
    private static final int PING = 0x6;
    private static final int GOAWAY = 0x7;
    private static final int WINDOW_UPDATE = 0x8;
    private static final int ACK = 0x1;
    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int MOST_WINDOW = Integer.MAX_VALUE - 65_535;

    /** POST, http, and the four fields of the first request; the newest of them has index 62. */
    private static final byte[] KNOWN_FIELDS = {
        (byte) 0x83, (byte) 0x86, (byte) 0xc1, (byte) 0xc0, (byte) 0xbf, (byte) 0xbe
    };

    private final AtomicReferenceArray<@Nullable Outcome> waiting = new AtomicReferenceArray<>(RING);
    private final boolean[] hasMessage = new boolean[RING];
    private final byte[][] messages;
    private final byte[] firstFields;
    private final ByteBuffer out;
    private int calls;

    /** @param messages the messages to send in turn, each with the five bytes that gRPC puts before it */
    Http2Wire(int port, String path, byte[][] messages) throws IOException {
        super(port, MOST);
        this.messages = messages;
        this.firstFields = firstFields(path, "127.0.0.1:" + port);
        this.out = ByteBuffer.allocateDirect(1_024);
        ByteBuffer hello =
                ByteBuffer.allocate(64).put("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(hello, 0, SETTINGS, 0, 0);
        frame(hello, 4, WINDOW_UPDATE, 0, 0);
        write(hello.putInt(MOST_WINDOW).flip());
    }

    @Override
    void send(long number, Outcome outcome) throws IOException {
        byte[] fields = calls == 0 ? firstFields : KNOWN_FIELDS;
        byte[] message = messages[(int) (number % messages.length)];
        int stream = 2 * calls + 1;
        waiting.set(calls % RING, outcome);
        calls++;
        out.clear();
        frame(out, fields.length, HEADERS, END_HEADERS, stream);
        out.put(fields);
        frame(out, message.length, DATA, END_STREAM, stream);
        write(out.put(message).flip());
    }

    @Override
    void read(ByteBuffer bytes) throws IOException {
        while (bytes.remaining() >= HEAD) {
            int begin = bytes.position();
            int head = bytes.getInt(begin);
            int length = head >>> 8;
            if (bytes.remaining() < HEAD + length) {
                return;
            }
            int flags = bytes.get(begin + 4);
            int place = bytes.getInt(begin + 5) / 2 % RING;
            read(head & 0xff, flags, place, bytes.slice(begin + HEAD, length));
            bytes.position(begin + HEAD + length);
        }
    }

    private void read(int type, int flags, int place, ByteBuffer payload) throws IOException {
        switch (type) {
            case DATA -> {
                hasMessage[place] = true;
                endIf((flags & END_STREAM) != 0, place, true);
            }
            case HEADERS -> endIf((flags & END_STREAM) != 0, place, hasMessage[place]);
            case RST_STREAM -> endIf(true, place, false);
            case SETTINGS, PING -> {
                if ((flags & ACK) == 0) {
                    ByteBuffer answer = ByteBuffer.allocate(HEAD + 8);
                    frame(answer, type == PING ? payload.remaining() : 0, type, ACK, 0);
                    write((type == PING ? answer.put(payload) : answer).flip());
                }
            }
            case GOAWAY -> throw new IOException("the server closes the connection (GOAWAY)");
            default -> {}
        }
    }

    private void endIf(boolean over, int place, boolean well) {
        Outcome outcome = over ? waiting.getAndSet(place, null) : null;
        if (outcome != null) {
            hasMessage[place] = false;
            answered(outcome, well);
        }
    }

    private static void frame(ByteBuffer to, int length, int type, int flags, int stream) {
        to.putInt(length << 8 | type).put((byte) flags).putInt(stream);
    }

    /** Encodes the fields as plain text to be added to the table. Their names are from the static table, or plain text too. */
    private static byte[] firstFields(String path, String authority) {
        ByteBuffer fields = ByteBuffer.allocate(512).put((byte) 0x83).put((byte) 0x86);
        text(fields.put((byte) 0x44), path);
        text(fields.put((byte) 0x41), authority);
        text(fields.put((byte) 0x5f), "application/grpc");
        text(fields.put((byte) 0x40), "te");
        text(fields, "trailers");
        byte[] all = new byte[fields.flip().remaining()];
        fields.get(all);
        return all;
    }

    /** Writes a text of less than 127 bytes. */
    private static void text(ByteBuffer to, String text) {
        to.put((byte) text.length()).put(text.getBytes(StandardCharsets.US_ASCII));
    }
}
