package io.sluice.benchmarks.doors;

import io.sluice.benchmarks.doors.OpenLoop.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Sends HTTP/1.1 requests, one at a time. Expects answers with a content length. */
final class Http1Wire extends Wire {

    private static final byte[] WELL = "HTTP/1.1 200".getBytes(StandardCharsets.US_ASCII);
    private static final int END_OF_HEAD = 0x0d0a0d0a;
    private static final String LENGTH = "content-length:";

    private final byte[][] requests;
    private volatile @Nullable Outcome waiting;

    /** @param requests complete requests with their headers, which are sent in turn */
    Http1Wire(int port, byte[][] requests) throws IOException {
        super(port, 1);
        this.requests = requests;
    }

    @Override
    void send(long number, Outcome outcome) throws IOException {
        waiting = outcome;
        write(ByteBuffer.wrap(requests[(int) (number % requests.length)]));
    }

    @Override
    void read(ByteBuffer bytes) throws IOException {
        int head = head(bytes);
        int all = head < 0 ? 0 : head + length(bytes, head);
        Outcome outcome = waiting;
        if (head < 0 || bytes.remaining() < all || outcome == null) {
            return;
        }
        boolean well = true;
        for (int i = 0; i < WELL.length; i++) {
            well &= bytes.get(i) == WELL[i];
        }
        bytes.position(all);
        answered(outcome, well);
    }

    /** Returns the length of the head; negative if it is incomplete. */
    private static int head(ByteBuffer bytes) {
        for (int i = 0; i + Integer.BYTES <= bytes.limit(); i++) {
            if (bytes.get(i) == '\r' && bytes.getInt(i) == END_OF_HEAD) {
                return i + Integer.BYTES;
            }
        }
        return -1;
    }

    private static int length(ByteBuffer bytes, int head) throws IOException {
        byte[] copy = new byte[head];
        bytes.get(0, copy);
        String text = new String(copy, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
        int at = text.indexOf(LENGTH);
        if (at < 0) {
            throw new IOException("an answer without a content length: " + text);
        }
        return Integer.parseInt(
                text.substring(at + LENGTH.length(), text.indexOf('\r', at)).strip());
    }
}
