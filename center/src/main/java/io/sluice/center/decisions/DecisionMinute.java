package io.sluice.center.decisions;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The decisions of one minute, both in files and waiting to be written. Guarded by the ring. */
final class DecisionMinute {

    /** The maximum number of files for one minute. */
    static final int MOST_PARTS = 16;

    private final long minute;
    private final List<Part> parts = new ArrayList<>();
    private final List<StoredDecision> waiting = new ArrayList<>();
    private long[] hashes = new long[64];
    private int hashCount;
    private long waitingBytes;
    private long firstPosition = Long.MAX_VALUE;
    private long dueMillis;
    private int count;
    private long bytes;
    private long dropped;
    private long droppedInFiles;
    private long upTo;

    /** A file with decisions of the minute. */
    record Part(Path path, SegmentHead head, long fileBytes) {}

    DecisionMinute(long minute) {
        this.minute = minute;
    }

    long minute() {
        return minute;
    }

    /** Adds a file that has been written. */
    void add(Part part) {
        parts.add(part);
        count += part.head().count();
        bytes += part.head().bytes();
        dropped += part.head().dropped();
        droppedInFiles += part.head().dropped();
        upTo = Math.max(upTo, part.head().upTo());
    }

    /** Returns whether a file already contains the decisions of a batch. */
    boolean isWritten(long position) {
        return position <= upTo;
    }

    boolean hasRoom(long size, RingBounds bounds) {
        return count < bounds.mostInMinute() && bytes + size <= bounds.mostBytesInMinute() && parts.size() < MOST_PARTS;
    }

    void drop() {
        dropped++;
    }

    void add(StoredDecision decision, long[] terms, long due) {
        if (waiting.isEmpty()) {
            dueMillis = due;
            firstPosition = decision.key().position();
        }
        waiting.add(decision);
        if (hashCount + terms.length > hashes.length) {
            hashes = Arrays.copyOf(hashes, Math.max(hashes.length * 2, hashCount + terms.length));
        }
        System.arraycopy(terms, 0, hashes, hashCount, terms.length);
        hashCount += terms.length;
        count++;
        bytes += SegmentFile.size(decision);
        waitingBytes += SegmentFile.size(decision);
    }

    /** Returns the position of the first batch with waiting decisions; {@link Long#MAX_VALUE} if there is none. */
    long firstPosition() {
        return firstPosition;
    }

    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    boolean isDue(long nowMillis) {
        return !waiting.isEmpty() && nowMillis >= dueMillis;
    }

    void defer(long untilMillis) {
        dueMillis = untilMillis;
    }

    long waitingBytes() {
        return waitingBytes;
    }

    List<StoredDecision> waiting() {
        return List.copyOf(waiting);
    }

    long[] hashes() {
        return Arrays.copyOf(hashes, hashCount);
    }

    /** Returns the head of the next file. */
    SegmentHead head(long lastPosition) {
        int part = parts.stream().mapToInt(each -> each.head().part()).max().orElse(0) + 1;
        return new SegmentHead(minute, part, lastPosition, waiting.size(), waitingBytes, dropped - droppedInFiles, 0);
    }

    /** Records that all waiting decisions are now in a file. */
    void written(Part part) {
        count -= waiting.size();
        bytes -= waitingBytes;
        dropped -= part.head().dropped();
        waiting.clear();
        hashes = new long[64];
        hashCount = 0;
        waitingBytes = 0;
        firstPosition = Long.MAX_VALUE;
        add(part);
    }

    /** Replaces a file by a file with fewer decisions. */
    void replace(Part old, Part rewritten) {
        parts.set(parts.indexOf(old), rewritten);
        count += rewritten.head().count() - old.head().count();
        bytes += rewritten.head().bytes() - old.head().bytes();
    }

    List<Part> parts() {
        return List.copyOf(parts);
    }

    long fileBytes() {
        return parts.stream().mapToLong(Part::fileBytes).sum();
    }

    long dropped() {
        return dropped;
    }
}
