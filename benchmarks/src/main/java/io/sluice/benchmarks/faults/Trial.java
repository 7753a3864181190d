package io.sluice.benchmarks.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One run of a {@link Fault}: how long it is to last, and what came out. Not thread-safe. */
public final class Trial {

    private final double scale;
    private final List<String> measured = new ArrayList<>();
    private final List<String> missed = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();

    /** @param scale 1 for the figures, less for a run of seconds that only shows what must hold */
    public Trial(double scale) {
        this.scale = scale;
    }

    /** So long, or less in a short run, but never less than {@code shortest}. */
    Duration lasting(Duration whole, Duration shortest) {
        Duration scaled = Duration.ofNanos((long) (whole.toNanos() * scale));
        return scaled.compareTo(shortest) < 0 ? shortest : scaled;
    }

    int times(int whole, int fewest) {
        return Math.max(fewest, (int) (whole * scale));
    }

    /** What holds in every run, or Sluice is broken. */
    void must(boolean holds, String what) {
        if (!holds) {
            broken.add(what);
        }
    }

    /** What was measured, with its goal; whether that is reached says something only about a whole run on a quiet machine. */
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

    /** What did not hold; empty if all is well. */
    public List<String> broken() {
        return broken;
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : String.format(Locale.ROOT, "%.2f", value);
    }
}
