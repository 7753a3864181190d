package io.sluice.history;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.GapEvent;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.history.HistoryReader.Ending;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Checks the recordings in folders: finds their files, puts the files of each run in order, and checks all runs together. Ignores files
 * that are not histories. A file that is being written is read up to its present size. Not thread-safe.
 *
 * <p>Memory is bounded by a maximum number of events, about {@value #BYTES_OF_EVENT} bytes each. If the recordings have more events, all
 * files are read several times, each time for a share of the counts. The names of limits, and a few numbers for each file, are always in
 * memory.
 */
public final class RecordingCheck {

    /** The number of bytes that an event needs in memory while it is checked. */
    public static final int BYTES_OF_EVENT = 600;

    private static final int DEEPEST = 4;
    private static final int MOST_SHARES = 1_000;

    private final long eventsAtOnce;
    private final List<String> unjudged = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final TreeSet<String> limits = new TreeSet<>();
    private long firstMicros = Long.MAX_VALUE;
    private long lastMicros = Long.MIN_VALUE;
    private long beginsMicros = Long.MAX_VALUE;
    private long events;
    private long decisions;
    private long settlements;
    private long gaps;
    private long lost;
    private long bytes;

    /**
     * Creates a check.
     *
     * @param eventsAtOnce the maximum number of events in memory
     */
    public RecordingCheck(long eventsAtOnce) {
        if (eventsAtOnce < 1) {
            throw new IllegalArgumentException("eventsAtOnce: " + eventsAtOnce + " (expected: 1 or more)");
        }
        this.eventsAtOnce = eventsAtOnce;
    }

    /** A file of a run, and the number of bytes to read from it. */
    private record RunFile(Path path, long size, HistoryFile.Part part) {}

    /** The files of one run, in order. */
    private static final class RecordedRun implements HistoryChecker.Run {

        private final List<RunFile> files = new ArrayList<>();
        private boolean ended;
        private boolean holes;

        @Override
        public boolean whole() {
            return ended && !holes;
        }

        @Override
        public boolean holes() {
            return holes;
        }

        @Override
        public void forEach(Consumer<HistoryEvent> reader) throws IOException {
            for (RunFile file : files) {
                var unused = HistoryReader.read(file.path, file.size, reader);
            }
        }

        String name() {
            return files.get(0).part.node();
        }
    }

    /**
     * Checks all recordings in a folder and its subfolders together. Does not follow links.
     *
     * @throws IOException if a file cannot be read, or has a line that is not part of a history
     */
    public RecordingReport check(Path folder) throws IOException {
        List<RecordedRun> runs = runs(folder);
        int files = 0;
        for (RecordedRun run : runs) {
            files += run.files.size();
            survey(run);
        }
        long shares = Math.min(MOST_SHARES, (events + eventsAtOnce - 1) / eventsAtOnce);
        CheckReport report = HistoryChecker.check(List.copyOf(runs), (int) Math.max(1, shares), beginsMicros);
        long inBetween = report.missing() - report.earlier();
        if (inBetween > 0) {
            unjudged.add(steps(inBetween) + " on shared counts " + (inBetween == 1 ? "is" : "are")
                    + " in no recording: other processes use the counts, or answers were lost");
        }
        if (report.strangers() > 0) {
            unjudged.add("counts that processes without a recording changed: " + report.strangers());
        }
        if (report.unchecked() > 0) {
            unjudged.add(steps(report.unchecked()) + " could not be put in order, because a replica took over or other"
                    + " processes do not record");
        }
        if (!report.steady() && report.spends() + settlements > 0) {
            unjudged.add("whether leases stayed within their share and reservations were settled once: the time of the"
                    + " store stepped back by more than a second, so it may have forgotten some");
        }
        if (report.earlier() > 0) {
            remarks.add("some counts were in use before the recording begins; they are judged from its beginning");
        }
        return new RecordingReport(
                files,
                bytes,
                runs.size(),
                time(firstMicros),
                time(lastMicros),
                decisions,
                settlements,
                limits,
                gaps,
                lost,
                report,
                unjudged,
                remarks);
    }

    private static String steps(long count) {
        return count == 1 ? "1 step" : count + " steps";
    }

    private static Optional<Instant> time(long micros) {
        return micros == Long.MAX_VALUE || micros == Long.MIN_VALUE
                ? Optional.empty()
                : Optional.of(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
    }

    private static List<RecordedRun> runs(Path folder) throws IOException {
        List<Path> paths;
        try (Stream<Path> found = Files.walk(folder, DEEPEST)) {
            paths = found.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        Map<String, RecordedRun> runs = new TreeMap<>();
        for (Path path : paths) {
            long size = Files.size(path);
            HistoryFile.Part part = HistoryReader.part(path);
            if (part != null) {
                String run = part.run().isEmpty() ? path.toString() : part.run();
                runs.computeIfAbsent(run, unknown -> new RecordedRun()).files.add(new RunFile(path, size, part));
            }
        }
        List<RecordedRun> sorted = new ArrayList<>(runs.values());
        sorted.forEach(run -> run.files.sort(Comparator.comparingLong(file -> file.part.number())));
        sorted.sort(Comparator.comparingLong(run -> run.files.get(0).part.beginsMicros()));
        return sorted;
    }

    /** Reads a run for the first time and counts its events and missing events. */
    private void survey(RecordedRun run) throws IOException {
        long gapsBefore = gaps;
        long previous = run.files.get(0).part.number() - 1;
        if (previous > 0) {
            run.holes = true;
            remarks.add(run.name() + ": its first files are gone, so it is judged from file " + (previous + 1) + " on");
        }
        for (int i = 0; i < run.files.size(); i++) {
            RunFile file = run.files.get(i);
            boolean last = i == run.files.size() - 1;
            bytes += file.size;
            if (file.part.beginsMicros() > 0) {
                beginsMicros = Math.min(beginsMicros, file.part.beginsMicros());
            }
            if (file.part.number() != previous + 1) {
                run.holes = true;
                unjudged.add(
                        run.name() + ": files " + (previous + 1) + " to " + (file.part.number() - 1) + " are missing");
            }
            previous = file.part.number();
            // A process that holds the lock now may still write; a process that has ended before this line has written
            // all its events.
            boolean written = isWritten(file.path);
            HistoryReader.Frame frame = HistoryReader.read(file.path, file.size, this::survey);
            run.ended = last && frame.isWhole();
            run.holes |= !last && frame.ending() != Ending.NEXT;
            if (frame.ending() == Ending.END && frame.lost() > 0) {
                lost += frame.lost();
                unjudged.add(run.name() + ": " + frame.lost() + " events were lost at its end");
            } else if (last && frame.ending() != Ending.END) {
                if (written) {
                    remarks.add(run.name() + ": it is still being written, and judged as far as it goes");
                } else {
                    unjudged.add(run.name() + ": it has no end, because the process was killed or its disk was full;"
                            + " its last decisions may be missing");
                }
            }
        }
        if (gaps > gapsBefore) {
            run.holes = true;
            unjudged.add(run.name() + ": decisions are missing in " + (gaps - gapsBefore)
                    + (gaps - gapsBefore == 1 ? " gap" : " gaps") + ", which could not be recorded in time");
        }
    }

    private static boolean isWritten(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void survey(HistoryEvent event) {
        events++;
        if (event instanceof StepEvent step) {
            at(step.atMicros());
            Limit limit = CountCheck.limitOf(List.of(step));
            if (limit != null) {
                limits.add(limit.name());
            }
            settlements += step.step() instanceof StepEvent.Settled ? 1 : 0;
            // A decision has one step for each of its limits; only the first step has a name.
            decisions += step.since() == StepEvent.LOCAL
                            && step.step() instanceof StepEvent.Asked asked
                            && !asked.ask().isEmpty()
                    ? 1
                    : 0;
        } else if (event instanceof SpendEvent spent) {
            at(spent.epochMicros());
            decisions += spent.answers() ? 1 : 0;
        } else if (event instanceof AnswerEvent answered) {
            at(answered.epochMicros());
            decisions += answered.charging() ? 1 : 0;
        } else if (event instanceof GapEvent gap) {
            at(gap.epochMicros());
            gaps++;
            lost += gap.events();
        }
    }

    private void at(long micros) {
        firstMicros = Math.min(firstMicros, micros);
        lastMicros = Math.max(lastMicros, micros);
    }
}
