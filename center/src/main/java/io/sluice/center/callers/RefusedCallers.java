package io.sluice.center.callers;

import io.sluice.center.callers.CallerFiles.Span;
import io.sluice.center.data.CallersView;
import io.sluice.center.data.DataConsumer;
import io.sluice.center.data.RefusedCaller;
import io.sluice.center.data.StoredBatch;
import io.sluice.center.data.TopQuery;
import io.sluice.center.erase.HashedData;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.center.refusal.RefusedException;
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
 * Stores refused callers: each minute for two to three hours, and each hour for seven days. Thread-safe.
 *
 * <p>The last minutes are kept in memory and written to files every 15 seconds. Each file states the position of the journal up
 * to which it is complete, so a batch that arrives again after a restart is counted once. An hour is merged from the files of its
 * minutes, and merged again if one of them changes.
 */
public final class RefusedCallers implements DataConsumer, CallersView {

    /** Days for which hours are kept. */
    public static final int DAYS = RetentionSettings.REFUSED_CALLERS_DAYS;

    private static final Logger LOG = LoggerFactory.getLogger(RefusedCallers.class);

    /** Minutes are kept, and new data for them is accepted, for this many hours before the current one. */
    private static final int HOURS_OF_MINUTES = 2;

    private static final int MINUTES = 60;
    private static final int HOURS_KEPT = DAYS * 24;

    /**
     * Data for this many minutes in the future is accepted, because clocks differ and a node may send a minute that has just
     * started here.
     */
    private static final int MINUTES_AHEAD = 2;

    private static final long WRITE_MILLIS = TimeUnit.SECONDS.toMillis(15);

    /** An hour is merged this many minutes after its end, when nearly all of its data has arrived. */
    private static final int HOUR_IS_DUE = 5;

    /** A written minute stays in memory for this many minutes, because its data comes from many nodes. */
    private static final int MINUTES_IN_MEMORY = 3;

    /** The maximum number of minutes in memory, even if they cannot be written. */
    private static final int MOST_IN_MEMORY = 10;

    /** The maximum number of remembered erased callers. Older data of them may still arrive. */
    private static final int MOST_ERASED = 1_000;

    private static final int MOST_SEARCHES = 2;

    /** The time that a search waits for other searches to end. */
    private static final int PATIENCE_SECONDS = 2;

    private static final int MINUTES_A_TURN = 3;

    private final Clock clock;
    private final CallerFiles files;

    /** Bounds parallel searches, because a search may need much memory. */
    private final Semaphore searches = new Semaphore(MOST_SEARCHES, true);

    // All fields below are guarded by this.
    private final TreeMap<Long, OpenMinute> open = new TreeMap<>();
    private final TreeSet<Long> changedHours = new TreeSet<>();
    private final LinkedHashMap<String, Long> erased = new LinkedHashMap<>();
    private @Nullable GrowingHour growing;
    private long writtenMillis;
    private long hourLooked = -1;
    private long late;
    private @Nullable String problem;

    /** A minute in memory. It contains all data of its file, and possibly more. */
    private static final class OpenMinute {

        private final CallerGroups groups;
        private long position;

        /** The lowest journal position that the file lacks. */
        private long missing = Long.MAX_VALUE;

        OpenMinute(Optional<CallerFile> file) {
            this.groups = file.map(CallerGroups::of).orElseGet(CallerGroups::new);
            this.position = file.map(CallerFile::position).orElse(0L);
        }

        boolean isChanged() {
            return missing != Long.MAX_VALUE;
        }
    }

    /** An hour that is being merged from its minutes. */
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
     * Opens the files.
     *
     * @param folder the folder of the files
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

    /** Continues with the oldest changed hour that has ended, and deletes old files. */
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

    /**
     * Adds some minutes to an hour. Adding all of them in one turn would block new data for a moment. Returns whether the hour is
     * done.
     */
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
            // One of its minutes has changed in the meantime, so the hour will be merged again.
            return true;
        }
        Optional<CallerFile> known = files.read(Span.HOUR, hour.hour);
        // If the minutes no longer exist, the result is empty and must not replace the hour.
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

    /** Returns the reason why data cannot be stored. */
    public synchronized Optional<String> problem() {
        return Optional.ofNullable(problem);
    }

    /** Returns the number of batches that were dropped: their time was too long ago or in the future, or they could not be stored. */
    public synchronized long late() {
        return late;
    }

    @Override
    public List<RefusedCaller> top(TopQuery query) {
        // Alerts do not count as searches: they run one after another and must not wait for people.
        TopCallers.Search search = new TopCallers.Search(query);
        Covered covered = readFiles(query.from(), query.until(), search::add);
        return search.found(covered.from, covered.until).callers();
    }

    /** Returns the callers with the most refusals, and sums over all callers. */
    TopCallers find(TopQuery query) {
        TopCallers.Search search = new TopCallers.Search(query);
        Covered covered = read(query.from(), query.until(), search::add);
        return search.found(covered.from, covered.until);
    }

    /** Returns the refusals of each rule that the reader may see. */
    RefusedRules rules(TopQuery query) {
        RefusedRules.Search search = new RefusedRules.Search(query);
        Covered covered = read(query.from(), query.until(), search::add);
        return search.found(covered.from, covered.until);
    }

    /** Returns the refusals of one caller by rule and limit. */
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

    /** The time that an answer covers: minutes, and whole hours for older data. */
    private record Covered(long from, long until) {}

    /** Reads all data of a time span. Whole hours are read where minutes no longer exist. */
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

    /** Returns the stored data from which erasures remove callers. */
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

    /** Rewrites the files one at a time, so that data from nodes waits for at most one of them. */
    private long erase(Set<String> told) throws IOException {
        Set<String> hashes = new HashSet<>(told);
        hashes.removeIf(hash -> !CallerGroup.isHash(hash));
        forget(hashes);
        long removed = erase(Span.MINUTE, hashes) + erase(Span.HOUR, hashes);
        // An hour may have been merged from a minute that still contained the callers.
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

    /** Removes callers from memory and remembers them, so that older data of them is not stored again. */
    private synchronized void forget(Set<String> hashes) throws IOException {
        long now = nowMinute();
        for (String hash : hashes) {
            erased.remove(hash);
            erased.put(hash, now);
        }
        while (erased.size() > MOST_ERASED) {
            erased.remove(erased.keySet().iterator().next());
        }
        // Minutes in memory are written as well, so that no restart needs the journal, which still contains the
        // callers.
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
            // A damaged file still contains the caller and cannot be read.
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
