package io.sluice.center.series;

import io.sluice.runtime.data.Figures;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Adds up seconds. Remembers the sums of the last requested whole minutes, because alerts request the same minutes again.
 * Thread-safe.
 */
final class MinuteSums {

    private static final int REMEMBERED = 32;

    private final SecondsRing ring;

    // Guarded by this.
    private final Map<String, Sum> remembered = new LinkedHashMap<>();

    private record Sum(long position, Map<String, Figures> figures) {}

    MinuteSums(SecondsRing ring) {
        this.ring = ring;
    }

    /** Returns the sums of the tracks in some parts, from one second until before another. */
    Map<String, Figures> sum(int firstPart, int endPart, long from, long until) {
        Map<String, Figures> sums = new HashMap<>();
        if (until <= from) {
            return sums;
        }
        ring.positions(Math.floorDiv(from, 60L), Math.floorDiv(until - 1, 60L) + 1)
                .forEach((minute, position) -> {
                    long start = minute * Segment.SECONDS;
                    int first = (int) Math.max(0, from - start);
                    int end = (int) Math.min(Segment.SECONDS, until - start);
                    Map<String, Figures> part = first == 0 && end == Segment.SECONDS
                            ? whole(firstPart, endPart, minute, position)
                            : read(firstPart, endPart, minute, first, end);
                    part.forEach((name, figures) -> sums.merge(name, figures, MinuteSums::plus));
                });
        return sums;
    }

    private Map<String, Figures> whole(int firstPart, int endPart, long minute, long position) {
        String key = minute + "/" + firstPart;
        synchronized (this) {
            Sum known = remembered.get(key);
            if (known != null && known.position == position) {
                return known.figures;
            }
        }
        Map<String, Figures> figures = read(firstPart, endPart, minute, 0, Segment.SECONDS);
        synchronized (this) {
            remembered.remove(key);
            remembered.put(key, new Sum(position, figures));
            if (remembered.size() > REMEMBERED) {
                remembered.remove(remembered.keySet().iterator().next());
            }
        }
        return figures;
    }

    private Map<String, Figures> read(int firstPart, int endPart, long minute, int first, int end) {
        Map<String, Figures> sums = new HashMap<>();
        for (int part = firstPart; part < endPart; part++) {
            ring.part(minute, part).ifPresent(block -> block.tracks().forEach((name, track) -> {
                SeriesSum sum = track.seconds(first, end);
                if (!sum.isNone()) {
                    sums.put(name, sum.figures());
                }
            }));
        }
        return sums;
    }

    private static Figures plus(Figures one, Figures other) {
        return new Figures(
                SeriesSum.add(one.allowed(), other.allowed()),
                SeriesSum.add(one.refused(), other.refused()),
                SeriesSum.add(one.shadowRefused(), other.shadowRefused()),
                SeriesSum.add(one.degraded(), other.degraded()));
    }
}
