package io.sluice.center.series;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * The seconds of one minute in a file: a head with the place of each part, followed by the parts. A file is first written under
 * another name, so it is either complete or missing.
 */
final class Segment {

    /** The number of steps in a segment. */
    static final int SECONDS = 60;

    static final String PREFIX = "minute-";
    static final String UNFINISHED = ".part";

    private static final int MAGIC = 0x534c5331;
    private static final int HEAD = Integer.BYTES + 2 * Long.BYTES + SeriesKey.PARTS * 2 * Integer.BYTES + Long.BYTES;

    private Segment() {}

    static Path file(Path folder, long minute) {
        return folder.resolve(PREFIX + minute);
    }

    /** Writes the parts of a minute, replacing an earlier file. */
    static void write(Path folder, long minute, long position, Map<Integer, Block> parts) throws IOException {
        ByteBuffer head =
                ByteBuffer.allocate(HEAD).putInt(MAGIC).putLong(minute).putLong(position);
        byte[][] contents = new byte[SeriesKey.PARTS][];
        int size = HEAD;
        for (int part = 0; part < SeriesKey.PARTS; part++) {
            Block block = parts.get(part);
            contents[part] = block == null ? new byte[0] : block.toBytes();
            head.putInt(contents[part].length).putInt((int) sum(contents[part]));
            size += contents[part].length;
        }
        head.putLong(sum(head.array(), HEAD - Long.BYTES)).flip();
        ByteBuffer all = ByteBuffer.allocate(size).put(head);
        for (byte[] content : contents) {
            all.put(content);
        }
        all.flip();
        Path target = file(folder, minute);
        Path part = folder.resolve(target.getFileName() + UNFINISHED);
        try (FileChannel out = FileChannel.open(
                part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            while (all.hasRemaining()) {
                out.write(all);
            }
            out.force(true);
        }
        Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Returns the position of the journal up to which a segment is complete. */
    static long position(Path folder, long minute) throws IOException {
        try (FileChannel in = FileChannel.open(file(folder, minute))) {
            return head(in, minute).getLong(Integer.BYTES + Long.BYTES);
        }
    }

    /** Returns a part; empty if the part is empty. */
    static Optional<Block> read(Path folder, long minute, int part) throws IOException {
        try (FileChannel in = FileChannel.open(file(folder, minute))) {
            return part(in, head(in, minute), part);
        }
    }

    /** Returns all parts that are not empty. */
    static Map<Integer, Block> read(Path folder, long minute) throws IOException {
        Map<Integer, Block> parts = new TreeMap<>();
        try (FileChannel in = FileChannel.open(file(folder, minute))) {
            ByteBuffer head = head(in, minute);
            for (int part = 0; part < SeriesKey.PARTS; part++) {
                int number = part;
                part(in, head, part).ifPresent(block -> parts.put(number, block));
            }
        }
        return parts;
    }

    private static ByteBuffer head(FileChannel in, long minute) throws IOException {
        byte[] bytes = read(in, 0, HEAD);
        ByteBuffer head = ByteBuffer.wrap(bytes);
        if (head.getInt(0) != MAGIC
                || head.getLong(Integer.BYTES) != minute
                || head.getLong(HEAD - Long.BYTES) != sum(bytes, HEAD - Long.BYTES)) {
            throw new IOException("damaged");
        }
        return head;
    }

    private static Optional<Block> part(FileChannel in, ByteBuffer head, int part) throws IOException {
        long at = HEAD;
        int index = Integer.BYTES + 2 * Long.BYTES;
        for (int before = 0; before < part; before++) {
            at += head.getInt(index + before * 2 * Integer.BYTES);
        }
        int length = head.getInt(index + part * 2 * Integer.BYTES);
        if (length == 0) {
            return Optional.empty();
        }
        byte[] content = read(in, at, length);
        if ((int) sum(content) != head.getInt(index + part * 2 * Integer.BYTES + Integer.BYTES)) {
            throw new IOException("damaged");
        }
        try {
            return Optional.of(Block.of(content, SECONDS));
        } catch (IllegalArgumentException e) {
            throw new IOException("damaged", e);
        }
    }

    private static byte[] read(FileChannel in, long at, int length) throws IOException {
        if (at + length > in.size()) {
            throw new EOFException("cut off");
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            if (in.read(bytes, at + bytes.position()) < 0) {
                throw new EOFException("cut off");
            }
        }
        return bytes.array();
    }

    private static long sum(byte[] bytes) {
        return sum(bytes, bytes.length);
    }

    private static long sum(byte[] bytes, int length) {
        CRC32 sum = new CRC32();
        sum.update(bytes, 0, length);
        return sum.getValue();
    }
}
