package io.sluice.benchmarks.replay;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.LongUnaryOperator;

/** A log of any length that is written while it is read: nginx's combined format, a steady number of lines per second. Not thread-safe. */
final class GeneratedLog extends InputStream {

    private static final int LONGEST_LINE = 256;

    private final long lines;
    private final int perSecond;
    private final LongUnaryOperator callers;
    private final byte[] chunk = new byte[65_536];
    private int at;
    private int filled;
    private long line;

    /** @param callers the caller of a line, by the number of the line from 0; callers are below 2^24 */
    GeneratedLog(long lines, int perSecond, LongUnaryOperator callers) {
        this.lines = lines;
        this.perSecond = perSecond;
        this.callers = callers;
    }

    @Override
    public int read() {
        return at < filled || fill() ? chunk[at++] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int from, int length) {
        if (at == filled && !fill()) {
            return -1;
        }
        int count = Math.min(length, filled - at);
        System.arraycopy(chunk, at, into, from, count);
        at += count;
        return count;
    }

    private boolean fill() {
        at = 0;
        filled = 0;
        while (line < lines && filled + LONGEST_LINE < chunk.length) {
            write(line++);
        }
        return filled > 0;
    }

    private void write(long number) {
        long caller = callers.applyAsLong(number);
        long second = number / perSecond;
        text("10.");
        digits(caller >> 16 & 0xff, 1);
        text(".");
        digits(caller >> 8 & 0xff, 1);
        text(".");
        digits(caller & 0xff, 1);
        text(" - u-");
        digits(caller, 1);
        text(" [");
        digits(10 + second / 86_400, 2);
        text("/Nov/2026:");
        digits(second / 3_600 % 24, 2);
        text(":");
        digits(second / 60 % 60, 2);
        text(":");
        digits(second % 60, 2);
        text(" +0000] \"GET /api/orders/");
        digits(number * 31 % 500, 1);
        text("?page=1 HTTP/1.1\" 200 512 \"-\" \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\"\n");
    }

    private void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, chunk, filled, bytes.length);
        filled += bytes.length;
    }

    private void digits(long number, int fewest) {
        int count = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            count++;
        }
        count = Math.max(count, fewest);
        long rest = number;
        for (int i = filled + count - 1; i >= filled; i--) {
            chunk[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        filled += count;
    }
}
