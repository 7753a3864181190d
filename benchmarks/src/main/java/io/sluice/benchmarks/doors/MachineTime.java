package io.sluice.benchmarks.doors;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What all processors of the machine did since it runs, by {@code /proc/stat}, in ticks.
 *
 * @param worked for anybody
 * @param idled with nothing to do
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

    /** Of 1. */
    double busy() {
        return (double) worked / Math.max(1, worked + idled);
    }
}
