package io.sluice.replay.advice;

import io.sluice.core.limit.Rate;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Finds the rate of a bucket: of all pairs of rate and burst that achieve the goal, the pair that admits the fewest permits within a span.
 * Not thread-safe.
 *
 * <p>The burst that a caller needs at a rate is the largest number of permits that its bucket lacks at any time: the maximum, over all
 * intervals, of its permits minus the rate times the length of the interval. A higher rate needs less burst. {@code burst + rate × span} is
 * smallest where the interval that determines the burst is as long as the span: longer traffic is sustained use and raises the rate,
 * shorter traffic is a burst.
 *
 * <p>The rate is a choice, and the burst for it is measured exactly afterwards. So if there are very many callers, a sample of them, chosen
 * by their hashes, is enough.
 */
final class RateSearch {

    private static final double ROUNDING = 1e-6;

    private final List<Rate> rates;
    private final double[] perMicro;
    private final int mostCallers;
    private final Map<Long, Levels> callers = new HashMap<>();
    private long sampled;

    private static final class Levels {

        private final double[] used;
        private final double[] most;
        private long atMicros;
        private long requests;

        Levels(int rates, long atMicros) {
            this.used = new double[rates];
            this.most = new double[rates];
            this.atMicros = atMicros;
        }
    }

    RateSearch(List<Rate> rates, int mostCallers) {
        this.rates = List.copyOf(rates);
        this.perMicro = rates.stream().mapToDouble(RateGrid::perMicro).toArray();
        this.mostCallers = mostCallers;
    }

    void add(long hash, long atMicros, long permits) {
        if ((hash & sampled) != 0) {
            return;
        }
        Levels levels = callers.get(hash);
        if (levels == null) {
            levels = new Levels(perMicro.length, atMicros);
            callers.put(hash, levels);
        }
        long elapsed = Math.max(0, atMicros - levels.atMicros);
        levels.atMicros += elapsed;
        levels.requests++;
        double[] used = levels.used;
        double[] most = levels.most;
        for (int i = 0; i < used.length; i++) {
            double now = Math.max(0, used[i] - perMicro[i] * elapsed) + permits;
            used[i] = now;
            if (now > most[i]) {
                most[i] = now;
            }
        }
        if (callers.size() > mostCallers) {
            keepHalf();
        }
    }

    private void keepHalf() {
        sampled = sampled << 1 | 1;
        for (Iterator<Long> each = callers.keySet().iterator(); each.hasNext(); ) {
            if ((each.next() & sampled) != 0) {
                each.remove();
            }
        }
    }

    /** Returns the number of callers in the sample. */
    int callers() {
        return callers.size();
    }

    /** Returns the position of the best rate. */
    int best(AdviceGoal goal, long spanMicros) {
        int best = 0;
        double least = Double.MAX_VALUE;
        for (int i = 0; i < perMicro.length; i++) {
            double passes = burst(i, goal) + perMicro[i] * spanMicros;
            if (passes <= least * (1 + 1e-12)) {
                least = passes;
                best = i;
            }
        }
        return best;
    }

    Rate rate(int position) {
        return rates.get(position);
    }

    /** Returns the burst that is enough for all callers except those that the goal may refuse. */
    private double burst(int rate, AdviceGoal goal) {
        Levels[] all = callers.values().toArray(Levels[]::new);
        if (all.length == 0) {
            return 0;
        }
        Arrays.sort(all, Comparator.comparingDouble((Levels each) -> -each.most[rate]));
        int out = all.length;
        if (goal.callers().isPresent()) {
            out = (int) goal.callers().get().of(all.length);
        }
        if (goal.requests().isPresent()) {
            long requests = 0;
            for (Levels each : all) {
                requests += each.requests;
            }
            out = Math.min(out, first(all, goal.requests().get().of(requests)));
        }
        return Math.ceil(all[Math.min(out, all.length - 1)].most[rate] - ROUNDING);
    }

    /** Returns the largest number of first callers that together sent at most this many requests. */
    private static int first(Levels[] all, long requests) {
        long left = requests;
        int count = 0;
        while (count < all.length && all[count].requests <= left) {
            left -= all[count].requests;
            count++;
        }
        return count;
    }
}
