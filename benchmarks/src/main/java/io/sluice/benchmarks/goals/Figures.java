package io.sluice.benchmarks.goals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * Measured numbers with names such as {@code redis/64 callers/sluice/per s}. The first part of a name is the benchmark that
 * measured the number. Not thread-safe.
 */
public final class Figures {

    private static final String IS = " = ";

    private final String benchmark;
    private final Map<String, Double> values = new TreeMap<>();

    /** @param benchmark the first part of the names of all figures that are added */
    public Figures(String benchmark) {
        this.benchmark = benchmark;
    }

    public void add(String name, double value) {
        values.put(benchmark + "/" + name, value);
    }

    /** Returns a figure by its whole name; empty if it was not measured. */
    public OptionalDouble get(String name) {
        Double value = values.get(name);
        return value == null || !Double.isFinite(value) ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** Writes one figure per line. */
    public void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        List<String> lines = new ArrayList<>();
        values.forEach((name, value) -> lines.add(name + IS + value));
        Files.write(file, lines);
    }

    /** Adds the figures of a file that another process wrote. */
    public void read(Path file) throws IOException {
        for (String line : Files.readAllLines(file)) {
            int is = line.lastIndexOf(IS);
            values.put(line.substring(0, is), Double.valueOf(line.substring(is + IS.length())));
        }
    }
}
