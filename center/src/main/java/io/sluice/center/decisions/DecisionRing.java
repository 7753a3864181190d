package io.sluice.center.decisions;

import io.sluice.center.data.DataConsumer;
import io.sluice.center.data.StoredBatch;
import io.sluice.center.erase.HashedData;
import io.sluice.core.time.Clock;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DecisionEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps decisions for 24 hours, in one file for each minute, and in further files for late decisions. The newest minute is in memory; after
 * a restart it is read again from the journal. All sizes are bounded: decisions without room are dropped and counted, and the oldest
 * minutes are removed first. Thread-safe.
 */
public final class DecisionRing implements DataConsumer {

    private static final Logger LOG = LoggerFactory.getLogger(DecisionRing.class);
    private static final Pattern NAME = Pattern.compile("minute-(\\d{1,12})-(\\d{1,6})");
    private static final Comparator<StoredDecision> NEWEST_FIRST =
            Comparator.comparing(StoredDecision::key).reversed();
    private static final long MINUTE_MILLIS = Duration.ofMinutes(1).toMillis();

    /** The time after the end of a minute until it is written. Nodes report each second, so a minute is complete soon after its end. */
    private static final long GRACE_MILLIS = 5_000;

    /** The time for which late decisions of an ended minute wait for others. */
    private static final long LATE_MILLIS = 20_000;

    private static final long TRY_AGAIN_MILLIS = 10_000;

    /** The time for which older decisions of an erased subject are refused. Nodes hold data back for no longer than these ten minutes. */
    private static final long ERASED_MILLIS = Duration.ofMinutes(10).toMillis();

    private static final int MOST_ERASED = 10_000;

    private final Map<String, Long> erasedLately = new LinkedHashMap<>();
    private final Clock clock;
    private final Path folder;
    private final RingBounds bounds;

    // Guarded by this.
    private final TreeMap<Long, DecisionMinute> minutes = new TreeMap<>();
    private long lastPosition;
    private long outside;
    private long damaged;
    private @Nullable String problem;

    private DecisionRing(Clock clock, Path folder, RingBounds bounds) {
        this.clock = clock;
        this.folder = folder;
        this.bounds = bounds;
    }

    /**
     * Opens the ring.
     *
     * @throws IOException if the folder cannot be used; the message is one line for the user
     */
    public static DecisionRing open(Clock clock, Path folder) throws IOException {
        return open(clock, folder, RingBounds.USUAL);
    }

    static DecisionRing open(Clock clock, Path folder, RingBounds bounds) throws IOException {
        DecisionRing ring = new DecisionRing(clock, folder, bounds);
        try {
            Files.createDirectories(folder);
            ring.load();
        } catch (IOException e) {
            throw new IOException(folder + ": unusable: " + e.getMessage() + " (expected: a folder of this user)", e);
        }
        return ring;
    }

    private synchronized void load() throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.list(folder)) {
            files = found.sorted().toList();
        }
        for (Path file : files) {
            Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
            if (!name.matches()) {
                // The file is left over from an interrupted write.
                if (file.toString().endsWith(".tmp")) {
                    Files.deleteIfExists(file);
                }
                continue;
            }
            try (SegmentFile segment = SegmentFile.open(file)) {
                minute(Long.parseLong(name.group(1)))
                        .add(new DecisionMinute.Part(file, segment.head(), Files.size(file)));
            } catch (IOException e) {
                damaged++;
                LOG.warn(
                        "decisions of one minute are lost, because their file is damaged ({}): {}",
                        e.getMessage(),
                        file);
                Files.deleteIfExists(file);
            }
        }
    }

    private DecisionMinute minute(long minute) {
        return minutes.computeIfAbsent(minute, DecisionMinute::new);
    }

    @Override
    public Kind kind() {
        return Kind.DECISIONS;
    }

    @Override
    public void take(StoredBatch batch) {
        List<DecisionEntry> entries = DecisionEntry.list(batch.content());
        long now = nowMillis();
        List<Arrival> arrivals = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            DecisionEntry entry = entries.get(i).shifted(batch.shiftMillis());
            if (isErased(entry)) {
                continue;
            }
            DecisionKey key = new DecisionKey(entry.atMillis(), batch.position(), i);
            arrivals.add(new Arrival(StoredDecision.of(key, batch.node(), entry), Term.hashes(entry, batch.node())));
        }
        synchronized (this) {
            long waiting = waitingBytes();
            for (Arrival each : arrivals) {
                waiting += add(each, now, waiting);
            }
            lastPosition = Math.max(lastPosition, batch.position());
        }
    }

    /** Returns whether a decision names a recently erased subject, because a node may have held the decision back. */
    private boolean isErased(DecisionEntry entry) {
        synchronized (erasedLately) {
            return !erasedLately.isEmpty()
                    && (entry.caller()
                                    .filter(mark ->
                                            erasedLately.getOrDefault(mark.hash(), Long.MIN_VALUE) >= entry.atMillis())
                                    .isPresent()
                            || entry.dimensions().values().stream()
                                    .anyMatch(mark -> erasedLately.getOrDefault(mark.hash(), Long.MIN_VALUE)
                                            >= entry.atMillis()));
        }
    }

    private void rememberErased(Set<String> hashes) {
        long now = nowMillis();
        synchronized (erasedLately) {
            hashes.forEach(hash -> erasedLately.put(hash, now));
            erasedLately.values().removeIf(at -> at < now - ERASED_MILLIS);
            while (erasedLately.size() > MOST_ERASED) {
                erasedLately.remove(erasedLately.keySet().iterator().next());
            }
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // used once
    private record Arrival(StoredDecision decision, long[] hashes) {}

    /** Adds a decision. Returns the number of bytes by which the memory grew. */
    private long add(Arrival arrival, long now, long waiting) {
        StoredDecision decision = arrival.decision();
        long at = decision.key().atMillis();
        long size = SegmentFile.size(decision);
        // Escapes can make the text longer than the received entry.
        if (at < now - bounds.kept().toMillis()
                || at > now + MINUTE_MILLIS
                || decision.text().length() > DecisionEntry.MOST_CHARACTERS) {
            outside++;
            return 0;
        }
        DecisionMinute minute = minute(Math.floorDiv(at, MINUTE_MILLIS));
        if (minute.isWritten(decision.key().position())) {
            return 0;
        }
        if (!minute.hasRoom(size, bounds) || waiting + size > bounds.mostBytesInMemory()) {
            minute.drop();
            return 0;
        }
        long over = (minute.minute() + 1) * MINUTE_MILLIS + GRACE_MILLIS;
        minute.add(decision, arrival.hashes(), over > now ? over : now + LATE_MILLIS);
        return size;
    }

    private long waitingBytes() {
        return minutes.values().stream().mapToLong(DecisionMinute::waitingBytes).sum();
    }

    @Override
    public synchronized void turn(long nowMillis) {
        for (DecisionMinute minute : List.copyOf(minutes.values())) {
            if (minute.isDue(nowMillis)) {
                try {
                    write(minute);
                } catch (IOException e) {
                    minute.defer(nowMillis + TRY_AGAIN_MILLIS);
                    fail(e);
                }
            }
        }
        forget(nowMillis);
    }

    private void write(DecisionMinute minute) throws IOException {
        SegmentHead head = minute.head(lastPosition);
        minute.written(write(file(head), head, minute.waiting(), minute.hashes()));
        if (problem != null) {
            LOG.info("decisions can be written again");
            problem = null;
        }
    }

    private static DecisionMinute.Part write(Path path, SegmentHead head, List<StoredDecision> decisions, long[] hashes)
            throws IOException {
        SegmentFile.write(path, head, decisions, hashes);
        return new DecisionMinute.Part(path, head, Files.size(path));
    }

    private Path file(SegmentHead head) {
        return folder.resolve("minute-" + head.minute() + "-" + head.part());
    }

    private void fail(IOException e) {
        String why = "decisions cannot be written: " + e.getMessage()
                + " (expected: free space in the data directory; they stay in memory as long as there is room)";
        if (problem == null) {
            LOG.error(why);
        }
        problem = why;
    }

    private void forget(long nowMillis) {
        long size =
                minutes.values().stream().mapToLong(DecisionMinute::fileBytes).sum();
        long oldest = Math.floorDiv(nowMillis - bounds.kept().toMillis(), MINUTE_MILLIS);
        while (!minutes.isEmpty()
                && (minutes.firstKey() < oldest || (size > bounds.mostBytes() && minutes.size() > 1))) {
            DecisionMinute first = minutes.firstEntry().getValue();
            try {
                for (DecisionMinute.Part part : first.parts()) {
                    Files.deleteIfExists(part.path());
                }
            } catch (IOException e) {
                fail(e);
                return;
            }
            size -= first.fileBytes();
            minutes.remove(first.minute());
        }
    }

    @Override
    public synchronized void close() {
        try {
            flush();
        } catch (IOException e) {
            // The decisions are read again from the journal.
            fail(e);
        }
    }

    private void flush() throws IOException {
        for (DecisionMinute minute : List.copyOf(minutes.values())) {
            if (minute.isWaiting()) {
                write(minute);
            }
        }
    }

    @Override
    public synchronized long needsFrom() {
        return minutes.values().stream()
                .mapToLong(DecisionMinute::firstPosition)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Returns the reason why decisions cannot be written; empty if they can. */
    public synchronized Optional<String> problem() {
        return Optional.ofNullable(problem);
    }

    /** Returns the number of decisions since the start that were not kept because of their time or length. */
    synchronized long outside() {
        return outside;
    }

    /** Returns the number of damaged files since the start. */
    synchronized long damaged() {
        return damaged;
    }

    /** Returns the size of all files in bytes. */
    synchronized long fileBytes() {
        return minutes.values().stream().mapToLong(DecisionMinute::fileBytes).sum();
    }

    /** A snapshot of a minute. */
    private record Glimpse(long minute, List<DecisionMinute.Part> parts, List<StoredDecision> waiting, long dropped) {}

    /** Returns the newest minute that is older than another one. */
    private synchronized @Nullable Glimpse older(long than) {
        Map.Entry<Long, DecisionMinute> next = minutes.lowerEntry(than);
        if (next == null) {
            return null;
        }
        DecisionMinute minute = next.getValue();
        return new Glimpse(minute.minute(), minute.parts(), minute.waiting(), minute.dropped());
    }

    /** Searches from the newest decision to the oldest. Writers do not wait for the search. */
    DecisionPage search(DecisionQuery query) {
        long from = Math.max(query.from(), nowMillis() - bounds.kept().toMillis());
        DecisionQuery within = query.since(from);
        List<StoredDecision> found = new ArrayList<>();
        long dropped = 0;
        long left = bounds.searchedBytes();
        long minute = Math.floorDiv(within.end() - 1, MINUTE_MILLIS) + 1;
        for (Glimpse next = older(minute); next != null; next = older(next.minute())) {
            long end = (next.minute() + 1) * MINUTE_MILLIS;
            if (end <= from) {
                break;
            }
            if (left <= 0) {
                return new DecisionPage(found, Optional.of(new DecisionKey(end, 0, 0)), end, dropped);
            }
            dropped += next.dropped();
            List<StoredDecision> candidates = new ArrayList<>();
            left -= collect(next, within, candidates);
            candidates.sort(NEWEST_FIRST);
            for (StoredDecision candidate : candidates) {
                if (within.matches(candidate)) {
                    if (found.size() == within.most()) {
                        DecisionKey last = found.get(found.size() - 1).key();
                        return new DecisionPage(found, Optional.of(last), last.atMillis(), dropped);
                    }
                    found.add(candidate);
                }
            }
        }
        return new DecisionPage(found, Optional.empty(), from, dropped);
    }

    /** Collects the decisions of a minute that may match. Returns the number of bytes that were read. */
    private long collect(Glimpse minute, DecisionQuery query, List<StoredDecision> candidates) {
        LongAdder read = new LongAdder();
        Predicate<StoredDecision> quickly = query.quickly();
        Consumer<StoredDecision> collector = decision -> {
            read.add(SegmentFile.size(decision));
            if (query.isWithin(decision.key()) && quickly.test(decision)) {
                candidates.add(decision);
            }
        };
        minute.waiting().forEach(collector);
        List<List<Long>> needles = query.needles();
        for (DecisionMinute.Part part : minute.parts()) {
            try (SegmentFile segment = SegmentFile.open(part.path())) {
                if (segment.mayHaveAll(needles)) {
                    segment.forEach(collector);
                }
            } catch (NoSuchFileException e) {
                // The file became too old in the meantime.
            } catch (IOException e) {
                synchronized (this) {
                    damaged++;
                }
                LOG.warn(
                        "a file with decisions is damaged, so some are not found ({}): {}",
                        e.getMessage(),
                        part.path());
            }
        }
        return read.sum();
    }

    /** Returns the interface that erases subjects from the ring. */
    public HashedData erasable() {
        return new HashedData() {

            @Override
            public String kind() {
                return "decisions";
            }

            @Override
            public long erase(Set<String> hashes) throws IOException {
                return DecisionRing.this.erase(hashes);
            }
        };
    }

    /** Erases subjects. Files are rewritten one after the other, so that other threads wait for one file at most. */
    private long erase(Set<String> hashes) throws IOException {
        rememberErased(hashes);
        List<Glimpse> all = new ArrayList<>();
        synchronized (this) {
            // Otherwise the decisions would be read again from the journal.
            flush();
            for (Glimpse next = older(Long.MAX_VALUE); next != null; next = older(next.minute())) {
                all.add(next);
            }
        }
        List<Long> needles = hashes.stream().map(Term.CALLER::hash).toList();
        long erased = 0;
        for (Glimpse each : all) {
            for (DecisionMinute.Part part : each.parts()) {
                erased += erase(each.minute(), part, hashes, needles);
            }
        }
        return erased;
    }

    private synchronized long erase(long minute, DecisionMinute.Part part, Set<String> hashes, List<Long> needles)
            throws IOException {
        DecisionMinute known = minutes.get(minute);
        if (known == null || !known.parts().contains(part)) {
            return 0;
        }
        List<StoredDecision> kept = new ArrayList<>();
        LongStream.Builder terms = LongStream.builder();
        try (SegmentFile segment = SegmentFile.open(part.path())) {
            if (!segment.mayHave(needles)) {
                return 0;
            }
            segment.forEach(decision -> {
                DecisionEntry entry = decision.entry();
                if (Term.CALLER.values(entry, decision.node()).stream().noneMatch(hashes::contains)) {
                    kept.add(decision);
                    LongStream.of(Term.hashes(entry, decision.node())).forEach(terms::add);
                }
            });
        } catch (IOException | IllegalArgumentException e) {
            // The content after the damaged place cannot be read, so it may contain the subject.
            damaged++;
            LOG.warn("a file with decisions is damaged; an erasure keeps only what it can read of it: {}", part.path());
        }
        SegmentHead head = part.head();
        if (kept.size() == head.count()) {
            return 0;
        }
        long bytes = kept.stream().mapToLong(SegmentFile::size).sum();
        SegmentHead rewritten =
                new SegmentHead(minute, head.part(), head.upTo(), kept.size(), bytes, head.dropped(), 0);
        known.replace(part, write(part.path(), rewritten, kept, terms.build().toArray()));
        return (long) head.count() - kept.size();
    }

    private long nowMillis() {
        return clock.epochMicros() / 1_000;
    }
}
