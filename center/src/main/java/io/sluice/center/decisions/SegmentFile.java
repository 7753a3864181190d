package io.sluice.center.decisions;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * A file with decisions of one minute: its head, a Bloom filter over all values that can be searched, and the compressed decisions. A file
 * exists completely or not at all.
 */
final class SegmentFile implements AutoCloseable {

    private static final int MAGIC = 0x534c4431;
    private static final int LONGEST_HEAD = 1_000;
    private static final int LONGEST_JSON = 200_000;
    private static final int BUFFER = 64 * 1024;

    private final FileChannel file;
    private final SegmentHead head;
    private final long filter;

    private SegmentFile(FileChannel file, SegmentHead head, long filter) {
        this.file = file;
        this.head = head;
        this.filter = filter;
    }

    /** Compresses with the fastest level, because the center writes while nodes report. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, BUFFER);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    /**
     * Writes a file.
     *
     * @param head the head; the number of blocks is computed here
     * @param hashes the hashes of all values that can be searched; the array is sorted in place
     */
    static void write(Path path, SegmentHead head, List<StoredDecision> decisions, long[] hashes) throws IOException {
        byte[] bloom = BloomFilter.of(hashes);
        byte[] first = new SegmentHead(
                        head.minute(),
                        head.part(),
                        head.upTo(),
                        head.count(),
                        head.bytes(),
                        head.dropped(),
                        bloom.length / BloomFilter.BLOCK)
                .toBytes();
        Path temporary = path.resolveSibling(path.getFileName() + ".tmp");
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            DataOutputStream out =
                    new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER));
            out.writeInt(MAGIC);
            out.writeInt(first.length);
            out.writeInt(sum(first));
            out.write(first);
            out.write(bloom);
            DataOutputStream body = new DataOutputStream(new BufferedOutputStream(new FastGzip(out), BUFFER));
            for (StoredDecision each : decisions) {
                write(body, each);
            }
            body.flush();
            // Closing ends the compressed part and flushes the stream below it.
            body.close();
        }
        try (FileChannel written = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            written.force(true);
        }
        Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void write(DataOutputStream out, StoredDecision each) throws IOException {
        out.writeLong(each.key().atMillis());
        out.writeLong(each.key().position());
        out.writeInt(each.key().index());
        out.writeUTF(each.node());
        out.writeInt(each.json().length);
        out.write(each.json());
    }

    /**
     * Opens a file.
     *
     * @throws IOException if the file is damaged
     */
    static SegmentFile open(Path path) throws IOException {
        FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
        try {
            ByteBuffer fixed = read(file, 0, 12);
            int magic = fixed.getInt();
            int length = fixed.getInt();
            int sum = fixed.getInt();
            if (magic != MAGIC || length < 0 || length > LONGEST_HEAD) {
                throw new IOException("not a segment");
            }
            byte[] head = read(file, 12, length).array();
            if (sum(head) != sum) {
                throw new IOException("its head is damaged");
            }
            return new SegmentFile(file, SegmentHead.of(head), 12L + length);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e instanceof IOException failure ? failure : new IOException(e.getMessage(), e);
        }
    }

    SegmentHead head() {
        return head;
    }

    /** Returns whether the file may contain a hash of each of these sets. */
    boolean mayHaveAll(List<List<Long>> sets) throws IOException {
        for (List<Long> any : sets) {
            if (!mayHave(any)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the file may contain one of these hashes. */
    boolean mayHave(Collection<Long> hashes) throws IOException {
        for (long hash : hashes) {
            long at = filter + (long) BloomFilter.block(hash, head.blocks()) * BloomFilter.BLOCK;
            if (BloomFilter.mayHave(read(file, at, BloomFilter.BLOCK).array(), hash)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reads all decisions. If a place is damaged, the decisions before it are read first.
     *
     * @throws IOException if the file is damaged
     */
    void forEach(Consumer<StoredDecision> reader) throws IOException {
        file.position(filter + (long) head.blocks() * BloomFilter.BLOCK);
        InputStream body = new GZIPInputStream(new BufferedInputStream(Channels.newInputStream(file), BUFFER), BUFFER);
        DataInputStream in = new DataInputStream(new BufferedInputStream(body, BUFFER));
        for (int i = 0; i < head.count(); i++) {
            DecisionKey key = new DecisionKey(in.readLong(), in.readLong(), in.readInt());
            String node = in.readUTF();
            int length = in.readInt();
            if (length < 0 || length > LONGEST_JSON) {
                throw new IOException("a decision is damaged");
            }
            byte[] json = in.readNBytes(length);
            if (json.length < length) {
                throw new EOFException("it ends too early");
            }
            reader.accept(new StoredDecision(key, node, json));
        }
        if (in.read() >= 0) {
            throw new IOException("it goes on after its end");
        }
    }

    private static ByteBuffer read(FileChannel file, long at, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            if (file.read(bytes, at + bytes.position()) < 0) {
                throw new EOFException("it ends too early");
            }
        }
        return bytes.flip();
    }

    private static int sum(byte[] bytes) {
        CRC32 sum = new CRC32();
        sum.update(bytes);
        return (int) sum.getValue();
    }

    /** Returns the size of a decision that counts against the bounds of a minute. */
    static long size(StoredDecision each) {
        return each.json().length;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
