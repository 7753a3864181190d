package io.sluice.benchmarks.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a process uses of the machine, from {@code /proc}. */
public final class ProcessUse {

    /** The unit of times in {@code /proc}, on every Linux that Java runs on. */
    private static final double TICKS_PER_SECOND = 100;

    private ProcessUse() {}

    /** Returns the CPU time that a process has used so far; 0 if it has ended. */
    public static double cpuSeconds(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // The second field, the name, may contain anything. Therefore the other fields are counted from its end.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
        } catch (IOException e) {
            return 0;
        }
    }

    /** Returns the resident memory of a process. */
    public static long residentMegabytes(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) / 1_024;
            }
        }
        throw new IOException("/proc: no VmRSS of process " + pid);
    }
}
