package io.sluice.benchmarks.replay;

import com.sun.management.ThreadMXBean;
import io.sluice.benchmarks.goals.Figures;
import io.sluice.core.local.LocalEngine;
import io.sluice.replay.log.LogInput;
import io.sluice.replay.log.LogOptions;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.run.Replay;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Replays a log of millions of lines, beside reading its lines alone, on one thread. The CPU time of the thread counts, so that figures
 * are those of one core even on a busy machine; the garbage collector comes on top of it and is in the wall time. How much it has to do
 * follows from the bytes that are allocated for each line.
 */
public final class ReplayLoad {

    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    private static final int CALLERS = 20_000;
    private static final int PATHS = 500;

    static final String RULES = """
            rules:
              - { id: everybody, limits: [{ rate: 10000/s, burst: 20000 }] }
              - { id: orders, resource: /api/orders/**, limits: [{ rate: 9000/s }] }
              - { id: address, limits: [{ by: ip, rate: 5/s, burst: 50 }] }
              - { id: user, limits: [{ by: user, rate: 5/s, burst: 50 }] }
            """;

    private ReplayLoad() {}

    /** What is measured. Returns the number of lines. */
    private interface Work {
        long run(Path log) throws IOException;
    }

    /** Measures and returns a table. */
    public static String table(int lines, int turns, Figures figures) throws IOException {
        Path log = Files.createTempFile("sluice-replay", ".log");
        try {
            write(log, lines);
            StringBuilder table = new StringBuilder(String.format(
                    Locale.ROOT,
                    "%,d lines of nginx's combined format, %,d MB, %,d callers; four token buckets for each request. Medians of %d turns.%n%n",
                    lines,
                    Files.size(log) >> 20,
                    CALLERS,
                    turns));
            table.append("| what                       | per s and core |  per s, wall | CPU each | bytes each |\n");
            table.append("|----------------------------|----------------|--------------|----------|------------|\n");
            row(table, "read the lines alone", "lines", ReplayLoad::readLines, log, turns, figures);
            row(table, "read the requests", "requests", ReplayLoad::readRequests, log, turns, figures);
            row(table, "replay four limits", "replay", path -> replay(path, false), log, turns, figures);
            row(table, "replay two rule sets", "against", path -> replay(path, true), log, turns, figures);
            return table.toString();
        } finally {
            Files.delete(log);
        }
    }

    private static void row(
            StringBuilder table, String what, String figure, Work work, Path log, int turns, Figures figures)
            throws IOException {
        work.run(log);
        double[] cpu = new double[turns];
        double[] wall = new double[turns];
        long[] bytes = new long[turns];
        for (int i = 0; i < turns; i++) {
            long start = System.nanoTime();
            long cpuStart = THREADS.getCurrentThreadCpuTime();
            long bytesStart =
                    THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
            long done = work.run(log);
            cpu[i] = (double) (THREADS.getCurrentThreadCpuTime() - cpuStart) / done;
            bytes[i] = (THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - bytesStart) / done;
            wall[i] = (double) (System.nanoTime() - start) / done;
        }
        Arrays.sort(cpu);
        Arrays.sort(wall);
        Arrays.sort(bytes);
        double nanos = cpu[turns / 2];
        figures.add(figure + "/per s and core", 1e9 / nanos);
        table.append(String.format(
                Locale.ROOT,
                "| %-26s | %,14.0f | %,12.0f | %5.0f ns | %,10d |%n",
                what,
                1e9 / nanos,
                1e9 / wall[turns / 2],
                nanos,
                bytes[turns / 2]));
    }

    private static long readLines(Path log) throws IOException {
        byte[] buffer = new byte[262_144];
        long lines = 0;
        try (InputStream in = Files.newInputStream(log)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                for (int i = 0; i < read; i++) {
                    lines += buffer[i] == '\n' ? 1 : 0;
                }
            }
        }
        return lines;
    }

    private static long readRequests(Path log) throws IOException {
        Replay replay = new Replay(rules(), null, LocalEngine.DEFAULT_MAX_KEYS);
        long requests = 0;
        try (LogReader reader = LogReader.open(List.of(LogInput.of(log)), LogOptions.wanting(replay.attributes()))) {
            while (reader.next() != null) {
                requests++;
            }
        }
        return requests;
    }

    private static long replay(Path log, boolean against) throws IOException {
        Replay replay = new Replay(rules(), against ? rules() : null, LocalEngine.DEFAULT_MAX_KEYS);
        try (LogReader reader = LogReader.open(List.of(LogInput.of(log)), LogOptions.wanting(replay.attributes()))) {
            return replay.run(reader, (requests, any) -> {}).requests();
        }
    }

    private static RuleSet rules() {
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", RULES)).rules());
    }

    /** Few callers send most of the requests, 4,000 of them each second. */
    private static void write(Path log, int lines) throws IOException {
        Random random = new Random(29);
        try (BufferedWriter out = Files.newBufferedWriter(log, StandardCharsets.UTF_8)) {
            for (int i = 0; i < lines; i++) {
                int caller = (int) (CALLERS * Math.pow(random.nextDouble(), 3));
                int second = i / 4_000;
                out.write(String.format(
                        Locale.ROOT,
                        "10.%d.%d.%d - u-%d [17/Nov/2026:%02d:%02d:%02d +0000] \"GET /api/orders/%d?page=%d HTTP/1.1\" 200 %d \"-\""
                                + " \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\"%n",
                        caller >> 12 & 0xff,
                        caller >> 6 & 0x3f,
                        caller & 0x3f,
                        caller,
                        second / 3_600 % 24,
                        second / 60 % 60,
                        second % 60,
                        random.nextInt(PATHS),
                        random.nextInt(20),
                        random.nextInt(10_000)));
            }
        }
    }
}
