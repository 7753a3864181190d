package io.sluice.replay.log;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts lines into the order of time. It keeps the wanted bytes of each line, one block for each second, so that a line costs no object
 * while it waits. Not thread-safe.
 *
 * <p>The memory of the blocks is bounded. If more lines have to wait, the earliest second leaves early, and lines that belong before its
 * end are then too late.
 */
final class TimeOrder {

    private static final long SECOND = 1_000_000;
    private static final int SPARE_BLOCKS = 80;

    private final long mostBytes;
    private final TreeMap<Long, Block> waiting = new TreeMap<>();
    private final ArrayDeque<Block> spare = new ArrayDeque<>();
    private @Nullable Block newest;
    private long bytes;
    private long closedMicros = Long.MIN_VALUE;

    /** The end of the earliest waiting second. */
    private long firstEndMicros = Long.MAX_VALUE;

    TimeOrder(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** The lines of one second. */
    static final class Block {

        private static final int HEAD = 8 + 8 + 8 + 4 + 2 + 2;
        private static final int ABSENT = 0xffff;

        private long second;
        private byte[] data = new byte[4_096];
        private int used;
        private int[] starts = new int[32];
        private long[] order = new long[32];
        private int count;
        private boolean sorted = true;

        private void add(int source, long line, LineFields fields, Layout layout) {
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, 2 * count);
                order = Arrays.copyOf(order, 2 * count);
            }
            long key = ((fields.atMicros() - second * SECOND) << 32) | count;
            sorted &= count == 0 || order[count - 1] < key;
            order[count] = key;
            starts[count++] = used;
            int slots = layout.size();
            int length = HEAD;
            for (int slot = Layout.METHOD; slot < slots; slot++) {
                length += 2 + (fields.has(slot) && layout.isKept(slot) ? fields.to(slot) - fields.from(slot) : 0);
            }
            if (data.length - used < length) {
                data = Arrays.copyOf(data, Math.max(2 * data.length, used + length));
            }
            put8(fields.atMicros());
            put8(line);
            put8(fields.durationMicros());
            put2((int) fields.permits() >>> 16);
            put2((int) fields.permits());
            put2(fields.status());
            put2(source);
            for (int slot = Layout.METHOD; slot < slots; slot++) {
                if (fields.has(slot) && layout.isKept(slot)) {
                    int size = fields.to(slot) - fields.from(slot);
                    put2(Math.min(size, ABSENT - 1));
                    System.arraycopy(fields.bytes(slot), fields.from(slot), data, used, Math.min(size, ABSENT - 1));
                    used += Math.min(size, ABSENT - 1);
                } else {
                    put2(ABSENT);
                }
            }
        }

        private void put8(long value) {
            for (int shift = 56; shift >= 0; shift -= 8) {
                data[used++] = (byte) (value >>> shift);
            }
        }

        private void put2(int value) {
            data[used++] = (byte) (value >>> 8);
            data[used++] = (byte) value;
        }

        private void sort() {
            if (!sorted) {
                Arrays.sort(order, 0, count);
            }
        }

        int count() {
            return count;
        }

        /** Returns the start of a line, by its place in the order of time. */
        int start(int place) {
            return starts[(int) order[place]];
        }

        byte[] data() {
            return data;
        }

        long atMicros(int start) {
            return long8(start);
        }

        long line(int start) {
            return long8(start + 8);
        }

        long durationMicros(int start) {
            return long8(start + 16);
        }

        long permits(int start) {
            return ((long) two(start + 24) << 16) | two(start + 26);
        }

        int status(int start) {
            return (short) two(start + 28);
        }

        int source(int start) {
            return two(start + 30);
        }

        /** Returns the start of the first value. The two bytes before a value contain its length. */
        static int values(int start) {
            return start + HEAD;
        }

        /** Returns the length of a value, or -1 if it is absent. */
        int length(int at) {
            int length = two(at);
            return length == ABSENT ? -1 : length;
        }

        private int two(int at) {
            return ((data[at] & 0xff) << 8) | (data[at + 1] & 0xff);
        }

        private long long8(int at) {
            long value = 0;
            for (int i = at; i < at + 8; i++) {
                value = (value << 8) | (data[i] & 0xff);
            }
            return value;
        }
    }

    /** Adds a line. Returns false if the line is too late, because later lines have already left. */
    boolean add(int source, long line, LineFields fields, Layout layout) {
        if (fields.atMicros() < closedMicros) {
            return false;
        }
        long second = Math.floorDiv(fields.atMicros(), SECOND);
        Block block = newest;
        if (block == null || block.second != second) {
            block = waiting.computeIfAbsent(second, this::block);
            newest = block;
        }
        long before = block.used;
        block.add(source, line, fields, layout);
        bytes += block.used - before;
        return true;
    }

    private static long end(long second) {
        return (second + 1) * SECOND;
    }

    private Block block(long second) {
        firstEndMicros = Math.min(firstEndMicros, end(second));
        Block block = spare.isEmpty() ? new Block() : spare.pop();
        block.second = second;
        block.used = 0;
        block.count = 0;
        block.sorted = true;
        return block;
    }

    /**
     * Returns the lines of the earliest second if no further line can belong before its end, or if too many lines are waiting. Otherwise
     * returns null.
     *
     * @param fromMicros the earliest possible time of further lines
     */
    @Nullable
    Block poll(long fromMicros) {
        long end = firstEndMicros;
        if (waiting.isEmpty() || (end > fromMicros && bytes <= mostBytes)) {
            return null;
        }
        Block block = waiting.pollFirstEntry().getValue();
        firstEndMicros = waiting.isEmpty() ? Long.MAX_VALUE : end(waiting.firstKey());
        newest = newest == block ? null : newest;
        bytes -= block.used;
        closedMicros = end;
        block.sort();
        return block;
    }

    /** Reuses a block whose lines have been read. */
    void recycle(Block block) {
        if (spare.size() < SPARE_BLOCKS && block.data.length <= mostBytes / SPARE_BLOCKS) {
            spare.push(block);
        }
    }
}
