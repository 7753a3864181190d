package io.sluice.examples.flashsale;

import java.util.List;
import java.util.TreeMap;

/** The decisions of all instances together, by second. Immutable. */
record Tally(List<Second> seconds) {

    Tally {
        seconds = List.copyOf(seconds);
    }

    /**
     * The decisions of one second.
     *
     * @param at the second since the epoch, by Redis' clock
     * @param degraded how many of the admitted and refused requests were decided without Redis
     */
    record Second(long at, long admitted, long refused, long degraded) {

        static Second none(long at) {
            return new Second(at, 0, 0, 0);
        }

        long arrived() {
            return admitted + refused;
        }

        Second plus(Second other) {
            return new Second(at, admitted + other.admitted, refused + other.refused, degraded + other.degraded);
        }
    }

    /** Adds up the reports of all instances. Seconds without a decision are included. */
    static Tally of(List<String> reports) {
        TreeMap<Long, Second> all = new TreeMap<>();
        reports.stream()
                .flatMap(String::lines)
                .map(Tally::parse)
                .forEach(each -> all.merge(each.at, each, Second::plus));
        if (!all.isEmpty()) {
            for (long at = all.firstKey(); at < all.lastKey(); at++) {
                all.putIfAbsent(at, Second.none(at));
            }
        }
        return new Tally(List.copyOf(all.values()));
    }

    /** Returns how many requests the busiest second admitted. */
    long mostAdmitted() {
        return seconds.stream().mapToLong(Second::admitted).max().orElse(0);
    }

    Second at(long second) {
        return seconds.stream().filter(each -> each.at == second).findFirst().orElse(Second.none(second));
    }

    Second total() {
        return seconds.stream().reduce(Second.none(0), Second::plus);
    }

    /** Returns the seconds from {@code from} (inclusive) to {@code to} (exclusive). */
    Tally between(long from, long to) {
        return new Tally(
                seconds.stream().filter(each -> each.at >= from && each.at < to).toList());
    }

    private static Second parse(String line) {
        String[] fields = line.split(" ");
        return new Second(
                Long.parseLong(fields[0]),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]));
    }
}
