package io.sluice.benchmarks.doors;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The time of all CPUs since the machine was started, from {@code /proc/stat}, in ticks.
 *
 * @param worked the time spent on any process
 * @param idled the time spent idle or waiting for disks
 */
record MachineTime(long worked, long idled) {

    static final MachineTime NONE = new MachineTime(0, 0);

    private static final int IDLE = 4;
    private static final int WAITING_FOR_DISKS = 5;
    private static final int LAST = 8;

    static MachineTime now() throws IOException {
        String[] fields = Files.readAllLines(Path.of("/proc/stat")).get(0).split(" +", -1);
        long idled = Long.parseLong(fields[IDLE]) + Long.parseLong(fields[WAITING_FOR_DISKS]);
        long all = 0;
        for (int i = 1; i <= LAST; i++) {
            all += Long.parseLong(fields[i]);
        }
        return new MachineTime(all - idled, idled);
    }

    MachineTime plus(MachineTime other) {
        return new MachineTime(worked + other.worked, idled + other.idled);
    }

    MachineTime minus(MachineTime other) {
        return new MachineTime(worked - other.worked, idled - other.idled);
    }

    /** Returns the part of the time that was worked, between 0 and 1. */
    double busy() {
        return (double) worked / Math.max(1, worked + idled);
    }
}
