package io.sluice.benchmarks.doors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LatenciesTest {

    @Test
    void quantilesAreNeverTooShortAndAtMostOne32ndTooLong() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Latencies latencies = new Latencies();
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            long nanos = random.nextLong() >>> (2 + random.nextInt(62));
            latencies.add(nanos);
            all.add(nanos);
        }
        all.sort(null);
        for (double part : new double[] {0.001, 0.25, 0.5, 0.99, 0.999, 1}) {
            long exact = all.get((int) Math.ceil(all.size() * part) - 1);
            assertThat(latencies.quantile(part)).isBetween(exact, exact + exact / 32);
        }
        assertThat(latencies.count()).isEqualTo(10_000);
    }

    @Test
    void coversItsWholeRange() {
        Latencies latencies = new Latencies();
        assertThat(latencies.quantile(0.5)).isZero();
        latencies.add(-1);
        assertThat(latencies.quantile(1)).isZero();
        latencies.add(Long.MAX_VALUE);
        assertThat(latencies.quantile(1)).isEqualTo(Long.MAX_VALUE);
    }
}
