package io.sluice.center.series;

import io.sluice.runtime.data.PackReader;
import io.sluice.runtime.data.PackWriter;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** The tracks of some rules or nodes over the same steps, packed and compressed together. Not thread-safe. */
final class Block {

    private static final int VERSION = 1;
    private static final int MOST_BYTES = 256_000_000;
    private static final int BUFFER = 8_192;

    /** The maximum number of names in a block. A fleet with 20,000 rules has some 600 in each of its groups. */
    private static final int MOST_TRACKS = 3_000;

    private final int slots;

    /** The position of the journal up to which each step is complete; 0 for a step that was never written. */
    private final long[] positions;

    private final Map<String, Track> tracks = new HashMap<>();

    Block(int slots) {
        this(slots, new long[slots]);
    }

    private Block(int slots, long[] positions) {
        this.slots = slots;
        this.positions = positions;
    }

    Map<String, Track> tracks() {
        return tracks;
    }

    @Nullable
    Track track(String name) {
        return tracks.get(name);
    }

    /** Returns a track, creating it if it is missing. */
    Track made(String name) {
        return tracks.computeIfAbsent(name, made -> new Track(slots));
    }

    long position(int slot) {
        return positions[slot];
    }

    /** Replaces a step of all tracks. */
    void replace(int slot, long position, Map<String, SeriesSum> sums) {
        positions[slot] = position;
        tracks.values().forEach(track -> track.set(slot, SeriesSum.NONE));
        sums.forEach((name, sum) -> {
            if (tracks.containsKey(name) || hasRoomFor(sum)) {
                made(name).set(slot, sum);
            }
        });
    }

    /** Makes room for a name. If there are too many names, the name with the fewest requests is removed. */
    private boolean hasRoomFor(SeriesSum sum) {
        if (tracks.size() < MOST_TRACKS) {
            return true;
        }
        String least = "";
        long fewest = Long.MAX_VALUE;
        for (Map.Entry<String, Track> each : tracks.entrySet()) {
            long requests = each.getValue().sum().figures().requests();
            if (requests < fewest) {
                fewest = requests;
                least = each.getKey();
            }
        }
        return fewest < sum.figures().requests() && tracks.remove(least) != null;
    }

    Block copy() {
        Block copy = new Block(slots, positions.clone());
        tracks.forEach((name, track) -> copy.tracks.put(name, track.copy()));
        return copy;
    }

    byte[] toBytes() {
        PackWriter pack = new PackWriter().number(VERSION).number(slots);
        Track.write(pack, positions);
        pack.number(tracks.size());
        // Similar names next to each other take fewer bytes.
        Map<String, Track> sorted = new TreeMap<>(tracks);
        sorted.keySet().forEach(pack::text);
        sorted.values().forEach(track -> track.write(pack));
        return deflate(pack.toBytes());
    }

    /** Reads the result of {@link #toBytes}. Throws {@link IllegalArgumentException} for any other bytes. */
    static Block of(byte[] bytes, int slots) {
        PackReader pack = new PackReader(inflate(bytes));
        if (pack.number() != VERSION || pack.number() != slots) {
            throw new IllegalArgumentException("series: of another version (expected: " + VERSION + ")");
        }
        long[] positions = Track.column(pack, slots);
        Block block = new Block(slots, positions.length == 0 ? new long[slots] : positions);
        int size = pack.count();
        ArrayList<String> names = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            names.add(pack.text());
        }
        names.forEach(name -> block.tracks.put(name, Track.read(pack, slots)));
        return block;
    }

    private static byte[] deflate(byte[] plain) {
        Deflater deflater = new Deflater();
        try {
            deflater.setInput(plain);
            deflater.finish();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[BUFFER];
            while (!deflater.finished()) {
                out.write(buffer, 0, deflater.deflate(buffer));
            }
            return out.toByteArray();
        } finally {
            deflater.end();
        }
    }

    private static byte[] inflate(byte[] bytes) {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(bytes);
            byte[] plain = new byte[Math.max(BUFFER, bytes.length * 4)];
            int length = 0;
            while (!inflater.finished()) {
                int read = inflater.inflate(plain, length, plain.length - length);
                length += read;
                if (length == plain.length && length < MOST_BYTES) {
                    plain = Arrays.copyOf(plain, plain.length * 2);
                } else if (read == 0 && !inflater.finished()) {
                    throw new IllegalArgumentException("series: damaged (expected: what this version writes)");
                }
            }
            return Arrays.copyOf(plain, length);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("series: damaged (expected: what this version writes)", e);
        } finally {
            inflater.end();
        }
    }
}
