package io.sluice.center.series;

import io.sluice.runtime.data.SecondCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The seconds of the last hour: the newest minutes in memory, older minutes in one file each. Late data opens its minute again.
 * Thread-safe.
 *
 * <p>A minute and its file store the position of their last batch, so a batch that arrives again after a restart is added only
 * where it is missing. A file is deleted after an hour if its minute is in the database, and otherwise after a day.
 */
final class SecondsRing {

    private static final Logger LOG = LoggerFactory.getLogger(SecondsRing.class);

    /** The number of full minutes that are kept besides the current one. */
    static final int KEPT = 60;

    /** The number of minutes for which a minute that is not in the database is kept. */
    static final int KEPT_UNSTORED = 24 * 60;

    private static final long MINUTE_MILLIS = TimeUnit.MINUTES.toMillis(1);

    /** The time within which nodes send the last second of a minute. */
    private static final long GRACE_MILLIS = 5_000;

    /** The time after which a minute that has changed again is written again. */
    private static final long AGAIN_MILLIS = 10_000;

    private final Path folder;

    // Guarded by this.
    private final TreeMap<Long, OpenMinute> open = new TreeMap<>();
    private final TreeMap<Long, Long> files = new TreeMap<>();
    private final TreeMap<Long, Long> stored = new TreeMap<>();
    private final Set<Long> damaged = new TreeSet<>();
    private boolean replaying = true;
    private long late;
    private long ahead;
    private long crowded;
    private @Nullable String problem;

    private SecondsRing(Path folder) {
        this.folder = folder;
    }

    /**
     * Opens the files.
     *
     * @param stored the last batch of each minute in the database
     */
    static SecondsRing open(Path folder, Map<Long, Long> stored) throws IOException {
        Files.createDirectories(folder);
        SecondsRing ring = new SecondsRing(folder);
        ring.stored.putAll(stored);
        try (Stream<Path> found = Files.list(folder)) {
            for (Path file : found.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(Segment.UNFINISHED)) {
                    Files.deleteIfExists(file);
                } else if (name.matches(Segment.PREFIX + "\\d{1,12}")) {
                    ring.found(Long.parseLong(name.substring(Segment.PREFIX.length())));
                }
            }
        }
        return ring;
    }

    private void found(long minute) {
        try {
            files.put(minute, Segment.position(folder, minute));
        } catch (IOException e) {
            damaged(minute, e);
        }
    }

    /**
     * Takes the counts of a node.
     *
     * @param second the time in seconds since 1970, by the clock of the center
     */
    synchronized void take(long batch, String node, long second, SecondCounts counts, long nowMillis) {
        long minute = Math.floorDiv(second, Segment.SECONDS);
        long current = Math.floorDiv(nowMillis, MINUTE_MILLIS);
        if (minute > current + 1) {
            ahead++;
            return;
        }
        OpenMinute target = open.get(minute);
        if (target == null) {
            if (batch <= Math.max(files.getOrDefault(minute, 0L), stored.getOrDefault(minute, 0L))) {
                return;
            }
            boolean isLost = damaged.contains(minute) || (!files.containsKey(minute) && stored.containsKey(minute));
            if (isLost || minute < current - (replaying ? KEPT_UNSTORED : KEPT)) {
                late++;
                return;
            }
            target = reopen(minute);
            if (target == null) {
                late++;
                return;
            }
            open.put(minute, target);
        }
        if (batch > target.position()) {
            crowded += target.add(batch, node, (int) Math.floorMod(second, (long) Segment.SECONDS), counts);
        }
    }

    private @Nullable OpenMinute reopen(long minute) {
        Long position = files.get(minute);
        if (position == null) {
            return OpenMinute.empty();
        }
        try {
            return OpenMinute.of(Segment.read(folder, minute), position);
        } catch (IOException e) {
            damaged(minute, e);
            return null;
        }
    }

    /** Writes minutes that have ended, and removes old ones. Returns whether a minute was written. */
    synchronized boolean turn(long nowMillis) {
        replaying = false;
        boolean written = false;
        long current = Math.floorDiv(nowMillis, MINUTE_MILLIS);
        for (Iterator<Map.Entry<Long, OpenMinute>> each = open.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Long, OpenMinute> entry = each.next();
            long minute = entry.getKey();
            OpenMinute content = entry.getValue();
            boolean isOver = nowMillis >= (minute + 1) * MINUTE_MILLIS + GRACE_MILLIS;
            if (!content.isWritten() && isOver && Math.abs(nowMillis - content.writtenMillis()) >= AGAIN_MILLIS) {
                written |= write(minute, content, nowMillis);
            }
            if (content.isWritten() && minute < current - 1) {
                each.remove();
            }
        }
        removeOld(current);
        return written;
    }

    private boolean write(long minute, OpenMinute content, long nowMillis) {
        try {
            Segment.write(folder, minute, content.position(), content.parts());
            files.put(minute, content.position());
            content.written(nowMillis);
            problem = null;
            return true;
        } catch (IOException e) {
            String why = "the seconds of traffic cannot be written to " + folder + ": " + e.getMessage()
                    + " (expected: free space in the data directory)";
            if (problem == null) {
                LOG.error(why);
            }
            problem = why;
            return false;
        }
    }

    private void removeOld(long current) {
        files.entrySet().removeIf(file -> {
            long minute = file.getKey();
            boolean isStored = stored.getOrDefault(minute, 0L) >= file.getValue();
            return !open.containsKey(minute) && minute < current - (isStored ? KEPT : KEPT_UNSTORED) && delete(minute);
        });
        damaged.removeIf(minute -> minute < current - KEPT && delete(minute));
        stored.headMap(current - 2 * KEPT_UNSTORED).clear();
    }

    private boolean delete(long minute) {
        try {
            Files.deleteIfExists(Segment.file(folder, minute));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Writes all minutes that are only in memory. */
    synchronized void close(long nowMillis) {
        open.forEach((minute, content) -> {
            if (!content.isWritten()) {
                var unused = write(minute, content, nowMillis);
            }
        });
    }

    /** Returns the lowest position of a batch that is only in memory; {@link Long#MAX_VALUE} if there is none. */
    synchronized long needsFrom() {
        return open.values().stream()
                .mapToLong(OpenMinute::firstUnwritten)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Returns the minutes in files that the database does not have yet, with their last batches. */
    synchronized Map<Long, Long> unstored() {
        TreeMap<Long, Long> minutes = new TreeMap<>();
        files.forEach((minute, position) -> {
            if (position > stored.getOrDefault(minute, 0L) && !damaged.contains(minute)) {
                minutes.put(minute, position);
            }
        });
        return minutes;
    }

    /** Records that the database has a minute up to a batch. */
    synchronized void stored(long minute, long position) {
        stored.merge(minute, position, Math::max);
    }

    /** Returns the last batch of each minute, from one minute until before another. */
    synchronized NavigableMap<Long, Long> positions(long from, long until) {
        TreeMap<Long, Long> positions = new TreeMap<>(files.subMap(from, Math.max(from, until)));
        open.subMap(from, Math.max(from, until))
                .forEach((minute, content) -> positions.put(minute, content.position()));
        return positions;
    }

    /** Returns a part of a minute; empty if the part is empty. */
    Optional<Block> part(long minute, int part) {
        synchronized (this) {
            OpenMinute content = open.get(minute);
            if (content != null) {
                return Optional.ofNullable(content.parts().get(part)).map(Block::copy);
            }
            if (!files.containsKey(minute)) {
                return Optional.empty();
            }
        }
        try {
            return Segment.read(folder, minute, part);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            damaged(minute, e);
            return Optional.empty();
        }
    }

    /** Returns the track of a rule, a node or the fleet in a minute. */
    Optional<Track> track(long minute, SeriesKey key) {
        synchronized (this) {
            OpenMinute content = open.get(minute);
            if (content != null) {
                return Optional.ofNullable(content.parts().get(key.part()))
                        .map(block -> block.track(key.name()))
                        .map(Track::copy);
            }
        }
        return part(minute, key.part()).map(block -> block.track(key.name()));
    }

    /** Returns all parts of a minute from its file. */
    Optional<Map<Integer, Block>> written(long minute) {
        try {
            return Optional.of(Segment.read(folder, minute));
        } catch (IOException e) {
            damaged(minute, e);
            return Optional.empty();
        }
    }

    /**
     * Returns whether no data is missing from one minute until before another.
     *
     * @param storedCounts whether a damaged minute counts as present if the database has it
     */
    synchronized boolean isWhole(long from, long until, boolean storedCounts) {
        return damaged.stream()
                .noneMatch(minute -> minute >= from && minute < until && !(storedCounts && stored.containsKey(minute)));
    }

    private synchronized void damaged(long minute, IOException why) {
        if (damaged.add(minute)) {
            files.remove(minute);
            LOG.error(
                    "{}: {}; the seconds of this minute are lost, other times are not affected",
                    Segment.file(folder, minute),
                    why.getMessage());
        }
    }

    /** Returns the number of batches that arrived too late for the ring. */
    synchronized long late() {
        return late;
    }

    /** Returns the number of batches with a time in the future. */
    synchronized long ahead() {
        return ahead;
    }

    /** Returns the number of figures without room, because too many rules or nodes were active in a minute. */
    synchronized long crowded() {
        return crowded;
    }

    /** Returns the number of damaged minutes. */
    synchronized int damagedMinutes() {
        return damaged.size();
    }

    synchronized Optional<String> problem() {
        return Optional.ofNullable(problem);
    }
}
