package io.sluice.center.callers;

import io.sluice.center.callers.CallerFiles.Span;
import io.sluice.center.command.RefusedException;
import io.sluice.center.data.CallersView;
import io.sluice.center.data.DataConsumer;
import io.sluice.center.data.RefusedCaller;
import io.sluice.center.data.StoredBatch;
import io.sluice.center.data.TopQuery;
import io.sluice.center.erase.HashedData;
import io.sluice.core.time.Clock;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.RefusedMinute;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps who was refused: each minute for two to three hours, and each hour for seven days. Thread-safe.
 *
 * <p>The last minutes are in memory, and every 15 seconds they are written to files. Each file says up to which position of the journal
 * it is complete. So a batch that comes again after a restart is counted once. An hour is made of the files of its minutes, and made
 * again if one of them changes.
 */
public final class RefusedCallers implements DataConsumer, CallersView {

    /** Hours are kept for this long. */
    public static final int DAYS = 7;

    private static final Logger LOG = LoggerFactory.getLogger(RefusedCallers.class);

    /** Minutes of this many hours before the current one are kept, and new data for them is taken. */
    private static final int HOURS_OF_MINUTES = 2;

    private static final int MINUTES = 60;
    private static final int HOURS_KEPT = DAYS * 24;

    /** Clocks differ, and a node may send a minute that has just begun here. */
    private static final int MINUTES_AHEAD = 2;

    private static final long WRITE_MILLIS = TimeUnit.SECONDS.toMillis(15);

    /** An hour is made this many minutes after its end, so that nearly all data is there. */
    private static final int HOUR_IS_DUE = 5;

    /** A minute that was written stays in memory for this many minutes, because its data comes from many nodes. */
    private static final int MINUTES_IN_MEMORY = 3;

    /** More minutes are not held in memory, even if they cannot be written. */
    private static final int MOST_IN_MEMORY = 10;

    /** Callers that were erased lately. Older data of them may still be on its way. */
    private static final int MOST_ERASED = 1_000;

    private static final int MOST_SEARCHES = 2;

    /** Somebody who asks waits for a search of others for this long. */
    private static final int PATIENCE_SECONDS = 2;

    private static final int MINUTES_A_TURN = 3;

    private final Clock clock;
    private final CallerFiles files;

    /** A search may need much memory. */
    private final Semaphore searches = new Semaphore(MOST_SEARCHES, true);

    // All guarded by this.
    private final TreeMap<Long, OpenMinute> open = new TreeMap<>();
    private final TreeSet<Long> changedHours = new TreeSet<>();
    private final LinkedHashMap<String, Long> erased = new LinkedHashMap<>();
    private @Nullable GrowingHour growing;
    private long writtenMillis;
    private long hourLooked = -1;
    private long late;
    private @Nullable String problem;

    /** A minute in memory. It has everything that its file has, and more. */
    private static final class OpenMinute {

        private final CallerGroups groups;
        private long position;

        /** The lowest position that the file lacks. */
        private long missing = Long.MAX_VALUE;

        OpenMinute(Optional<CallerFile> file) {
            this.groups = file.map(CallerGroups::of).orElseGet(CallerGroups::new);
            this.position = file.map(CallerFile::position).orElse(0L);
        }

        boolean isChanged() {
            return missing != Long.MAX_VALUE;
        }
    }

    /** An hour that is made of its minutes. */
    private static final class GrowingHour {
        private final long hour;
        private final CallerGroups all = new CallerGroups();
        private long next;
        private long position;

        GrowingHour(long hour) {
            this.hour = hour;
            this.next = hour * MINUTES;
        }
    }

    private RefusedCallers(Clock clock, CallerFiles files) {
        this.clock = clock;
        this.files = files;
    }

    /**
     * Opens them.
     *
     * @param folder of the files
     * @throws IOException with one line for the user
     */
    public static RefusedCallers open(Clock clock, Path folder) throws IOException {
        try {
            RefusedCallers callers = new RefusedCallers(clock, CallerFiles.open(folder));
            callers.findChangedHours();
            return callers;
        } catch (IOException e) {
            throw new IOException(folder + ": unusable: " + e.getMessage() + " (expected: a folder of this user)", e);
        }
    }

    private synchronized void findChangedHours() throws IOException {
        for (long minute : files.list(Span.MINUTE)) {
            changedHours.add(hour(minute));
        }
    }

    @Override
    public Kind kind() {
        return Kind.CALLERS;
    }

    @Override
    public synchronized void take(StoredBatch batch) {
        RefusedMinute sent = RefusedMinute.of(batch.content());
        CallerGroups.Checked checked = CallerGroups.Checked.of(sent);
        long half = TimeUnit.SECONDS.toMillis(30);
        long minute = Math.floorDiv(TimeUnit.MINUTES.toMillis(sent.minute()) + half + batch.shiftMillis(), 2 * half);
        long now = nowMinute();
        if (hour(minute) < hour(now) - HOURS_OF_MINUTES || minute > now + MINUTES_AHEAD) {
            late++;
            return;
        }
        OpenMinute known = opened(minute);
        if (known == null || batch.position() <= known.position) {
            return;
        }
        known.groups.add(checked.without(erasedAfter(minute)));
        known.position = batch.position();
        known.missing = Math.min(known.missing, batch.position());
        while (open.size() > MOST_IN_MEMORY) {
            makeRoom();
        }
    }

    private Set<String> erasedAfter(long minute) {
        Set<String> hashes = new HashSet<>();
        erased.forEach((hash, until) -> {
            if (minute <= until) {
                hashes.add(hash);
            }
        });
        return hashes;
    }

    /** Returns a minute in memory; null if its file cannot be read now. */
    private @Nullable OpenMinute opened(long minute) {
        OpenMinute known = open.get(minute);
        if (known == null) {
            try {
                known = new OpenMinute(files.read(Span.MINUTE, minute));
            } catch (IOException e) {
                fail(e);
                late++;
                return null;
            }
            open.put(minute, known);
        }
        return known;
    }

    private void makeRoom() {
        long oldest = open.firstKey();
        if (!write(oldest)) {
            late++;
        }
        open.remove(oldest);
    }

    @Override
    public synchronized void turn(long nowMillis) {
        if (Math.abs(nowMillis - writtenMillis) >= WRITE_MILLIS) {
            writtenMillis = nowMillis;
            writeAll();
            long now = nowMinute();
            open.entrySet()
                    .removeIf(each -> each.getKey() < now - MINUTES_IN_MEMORY
                            && !each.getValue().isChanged());
            erased.values().removeIf(until -> hour(until) < hour(now) - HOURS_OF_MINUTES);
        }
        makeHour();
    }

    private void writeAll() {
        boolean isWritten = true;
        for (long minute : new ArrayList<>(open.keySet())) {
            isWritten &= write(minute);
        }
        if (isWritten) {
            problem = null;
        }
    }

    /** Writes a minute if it has changed. Returns whether its file is complete. */
    private boolean write(long minute) {
        OpenMinute each = open.get(minute);
        if (each == null || !each.isChanged()) {
            return true;
        }
        try {
            files.write(Span.MINUTE, minute, each.groups.pack(each.position, minute));
            each.missing = Long.MAX_VALUE;
            changedHours.add(hour(minute));
            return true;
        } catch (IOException e) {
            fail(e);
            return false;
        }
    }

    private void fail(IOException e) {
        String why = "refused callers cannot be stored: " + e.getMessage()
                + " (expected: free space and write access in the data directory)";
        if (problem == null) {
            LOG.error(why);
        }
        problem = why;
    }

    /** Goes on with the oldest hour that is over and has changed, and deletes what is old. */
    private void makeHour() {
        long now = nowMinute();
        Long oldest = changedHours.isEmpty() ? null : changedHours.first();
        try {
            if (growing == null && oldest != null && now >= (oldest + 1) * MINUTES + HOUR_IS_DUE) {
                growing = new GrowingHour(oldest);
                changedHours.remove(oldest);
            }
            GrowingHour hour = growing;
            if (hour != null && grow(hour)) {
                growing = null;
            }
            if (hour(now) != hourLooked) {
                hourLooked = hour(now);
                deleteOld(hourLooked);
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    /** Adds some minutes to an hour: all of them would take a moment in which no data could be taken. Returns whether it is done. */
    private boolean grow(GrowingHour hour) throws IOException {
        long end = Math.min(hour.next + MINUTES_A_TURN, (hour.hour + 1) * MINUTES);
        for (; hour.next < end; hour.next++) {
            Optional<CallerFile> file = files.read(Span.MINUTE, hour.next);
            if (file.isPresent()) {
                hour.all.add(CallerGroups.of(file.get()));
                hour.position = Math.max(hour.position, file.get().position());
            }
        }
        if (hour.next < (hour.hour + 1) * MINUTES) {
            return false;
        }
        if (changedHours.contains(hour.hour)) {
            // One of its minutes has changed meanwhile, so it is made again.
            return true;
        }
        Optional<CallerFile> known = files.read(Span.HOUR, hour.hour);
        // Without its minutes an hour would be made empty.
        if (hour.position > 0 && (known.isEmpty() || known.get().position() < hour.position)) {
            files.write(Span.HOUR, hour.hour, hour.all.pack(hour.position, hour.hour));
        }
        return true;
    }

    private void deleteOld(long hour) throws IOException {
        for (long minute : files.list(Span.MINUTE)) {
            boolean isNeeded = changedHours.contains(hour(minute)) || (growing != null && growing.hour == hour(minute));
            if (hour(minute) < hour - HOURS_OF_MINUTES && !isNeeded) {
                files.delete(Span.MINUTE, minute);
            }
        }
        for (long each : files.list(Span.HOUR).headSet(hour - HOURS_KEPT)) {
            files.delete(Span.HOUR, each);
        }
    }

    @Override
    public synchronized void close() {
        writeAll();
    }

    @Override
    public synchronized long needsFrom() {
        return open.values().stream().mapToLong(each -> each.missing).min().orElse(Long.MAX_VALUE);
    }

    /** Returns why data cannot be stored. */
    public synchronized Optional<String> problem() {
        return Optional.ofNullable(problem);
    }

    /** Returns how many batches were about a time that is too long ago or in the future, or found no room. */
    public synchronized long late() {
        return late;
    }

    @Override
    public List<RefusedCaller> top(TopQuery query) {
        // Alerts ask one after the other, and must not wait for people.
        TopCallers.Search search = new TopCallers.Search(query);
        Covered covered = readFiles(query.from(), query.until(), search::add);
        return search.found(covered.from, covered.until).callers();
    }

    /** Returns the callers that were refused most often, with sums over all of them. */
    TopCallers find(TopQuery query) {
        TopCallers.Search search = new TopCallers.Search(query);
        Covered covered = read(query.from(), query.until(), search::add);
        return search.found(covered.from, covered.until);
    }

    /** Returns how often each rule refused that somebody sees. */
    RefusedRules rules(TopQuery query) {
        RefusedRules.Search search = new RefusedRules.Search(query);
        Covered covered = read(query.from(), query.until(), search::add);
        return search.found(covered.from, covered.until);
    }

    /** Returns how often one caller was refused, by rule and limit. */
    List<RefusedCaller> find(String hash, long from, long until) {
        OneCaller caller = new OneCaller(hash);
        read(from, until, caller::add);
        return caller.found();
    }

    @Override
    public List<RefusedMinute.Tenant> tenants(long from, long until) {
        Map<String, RefusedMinute.Tenant> sums = new TreeMap<>();
        readFiles(from, until, file -> file.content()
                .tenants()
                .forEach(each -> sums.merge(each.tenant().hash(), each, CallerGroups::sum)));
        return List.copyOf(sums.values());
    }

    /** The time that an answer is about: minutes, and whole hours if they are longer ago. */
    private record Covered(long from, long until) {}

    /** Reads what is known of a time. Whole hours are read where there are no minutes any more. */
    private Covered read(long from, long until, Consumer<CallerFile> reader) {
        try {
            if (!searches.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw RefusedException.conflict(
                        "callers: too many searches at once (expected: try again in some seconds)");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RefusedException.conflict("callers: the center stops");
        }
        try {
            return readFiles(from, until, reader);
        } finally {
            searches.release();
        }
    }

    private Covered readFiles(long from, long until, Consumer<CallerFile> reader) {
        long now = nowMinute();
        long firstMinute = (hour(now) - HOURS_OF_MINUTES) * MINUTES;
        long end = Math.min(until, now + MINUTES_AHEAD + 1);
        long begin = Math.max(from, (hour(now) - HOURS_KEPT) * MINUTES);
        long covered = begin < firstMinute ? hour(begin) * MINUTES : begin;
        for (long hour = hour(begin); hour * MINUTES < Math.min(end, firstMinute); hour++) {
            read(Span.HOUR, hour).ifPresent(reader);
        }
        for (long minute = Math.max(begin, firstMinute); minute < end; minute++) {
            Optional<CallerFile> file;
            synchronized (this) {
                OpenMinute known = open.get(minute);
                file = known == null ? Optional.empty() : Optional.of(known.groups.pack(known.position, minute));
            }
            if (file.isEmpty()) {
                file = read(Span.MINUTE, minute);
            }
            file.ifPresent(reader);
        }
        return new Covered(Math.min(covered, end), end <= firstMinute ? (hour(end - 1) + 1) * MINUTES : end);
    }

    private Optional<CallerFile> read(Span span, long time) {
        try {
            return files.read(span, time);
        } catch (IOException e) {
            synchronized (this) {
                fail(e);
            }
            return Optional.empty();
        }
    }

    /** Returns what erasures remove callers from. */
    public HashedData erasable() {
        return new HashedData() {
            @Override
            public String kind() {
                return "refused_callers";
            }

            @Override
            public long erase(Set<String> hashes) throws IOException {
                return RefusedCallers.this.erase(hashes);
            }
        };
    }

    /** Files are rewritten one after the other, so that the data of nodes waits for one of them at most. */
    private long erase(Set<String> told) throws IOException {
        Set<String> hashes = new HashSet<>(told);
        hashes.removeIf(hash -> !CallerGroup.isHash(hash));
        forget(hashes);
        long removed = erase(Span.MINUTE, hashes) + erase(Span.HOUR, hashes);
        // An hour may have grown from a minute that still had them.
        synchronized (this) {
            growAgain();
        }
        return removed + erase(Span.HOUR, hashes);
    }

    private long erase(Span span, Set<String> hashes) throws IOException {
        long removed = 0;
        for (long time : files.list(span)) {
            synchronized (this) {
                removed += erase(span, time, hashes);
            }
        }
        return removed;
    }

    /** Forgets callers in memory, and remembers that older data of them must not come back. */
    private synchronized void forget(Set<String> hashes) throws IOException {
        long now = nowMinute();
        for (String hash : hashes) {
            erased.remove(hash);
            erased.put(hash, now);
        }
        while (erased.size() > MOST_ERASED) {
            erased.remove(erased.keySet().iterator().next());
        }
        // What is in memory is written too, so that nobody needs the journal, which still has the callers.
        for (long minute : new ArrayList<>(open.keySet())) {
            OpenMinute each = open.get(minute);
            if (each != null && each.isChanged()) {
                files.write(Span.MINUTE, minute, each.groups.pack(each.position, minute));
                each.missing = Long.MAX_VALUE;
                changedHours.add(hour(minute));
            }
        }
        for (OpenMinute each : open.values()) {
            int unused = each.groups.erase(hashes);
        }
        growAgain();
    }

    private void growAgain() {
        if (growing != null) {
            changedHours.add(growing.hour);
            growing = null;
        }
    }

    private int erase(Span span, long time, Set<String> hashes) throws IOException {
        Optional<byte[]> bytes = files.bytes(span, time);
        if (bytes.isEmpty() || hashes.stream().noneMatch(hash -> OneCaller.isAnywhereIn(bytes.get(), hash))) {
            return 0;
        }
        Optional<CallerFile> file = files.read(span, time);
        if (file.isEmpty()) {
            // A damaged file still has the caller, and is of no use.
            files.delete(span, time);
            return 1;
        }
        CallerFile.Erased rest = file.get().without(hashes);
        files.write(span, time, rest.file());
        return rest.removed();
    }

    private long nowMinute() {
        return Math.floorDiv(clock.epochMicros(), TimeUnit.MINUTES.toMicros(1));
    }

    private static long hour(long minute) {
        return Math.floorDiv(minute, (long) MINUTES);
    }
}
