package io.sluice.benchmarks.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One run of a {@link Fault}: its duration and its results. Not thread-safe. */
public final class Trial {

    private final double scale;
    private final List<String> measured = new ArrayList<>();
    private final List<String> missed = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();

    /** @param scale 1 for a full run with figures; less for a run of seconds that only checks what must hold */
    public Trial(double scale) {
        this.scale = scale;
    }

    /** Returns {@code whole} scaled to this run, but at least {@code shortest}. */
    Duration lasting(Duration whole, Duration shortest) {
        Duration scaled = Duration.ofNanos((long) (whole.toNanos() * scale));
        return scaled.compareTo(shortest) < 0 ? shortest : scaled;
    }

    int times(int whole, int fewest) {
        return Math.max(fewest, (int) (whole * scale));
    }

    /** Records a condition that must hold in every run; if it does not, Sluice is broken. */
    void must(boolean holds, String what) {
        if (!holds) {
            broken.add(what);
        }
    }

    /** Records a measurement with its goal. A missed goal is meaningful only after a full run on a quiet machine. */
    void figure(String what, double value, double goal, String unit) {
        measured.add(String.format(Locale.ROOT, "%s %s %s", what, number(value), unit)
                .strip());
        if (value > goal) {
            missed.add(String.format(Locale.ROOT, "%s (goal: %s %s)", what, number(goal), unit)
                    .strip());
        }
    }

    void note(String what) {
        measured.add(what);
    }

    List<String> measured() {
        return measured;
    }

    List<String> missed() {
        return missed;
    }

    /** Returns the conditions that did not hold; empty if all held. */
    public List<String> broken() {
        return broken;
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : String.format(Locale.ROOT, "%.2f", value);
    }
}
