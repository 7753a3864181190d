package io.sluice.examples.flashsale;

import java.util.List;
import java.util.TreeMap;

/** What all instances together decided in each second. Immutable. */
record Tally(List<Second> seconds) {

    Tally {
        seconds = List.copyOf(seconds);
    }

    /**
     * One second.
     *
     * @param at since the epoch, by Redis' clock
     * @param degraded how many of the admitted and refused were decided without Redis
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

    /** Of what each instance says of itself; seconds without any decision are there, too. */
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

    /** How much of the limit the fullest second admitted. */
    long mostAdmitted() {
        return seconds.stream().mapToLong(Second::admitted).max().orElse(0);
    }

    Second at(long second) {
        return seconds.stream().filter(each -> each.at == second).findFirst().orElse(Second.none(second));
    }

    Second total() {
        return seconds.stream().reduce(Second.none(0), Second::plus);
    }

    /** Seconds from one on and before another. */
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
