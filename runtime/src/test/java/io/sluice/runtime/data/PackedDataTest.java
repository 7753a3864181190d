package io.sluice.runtime.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.sluice.rules.caller.CallerMark;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The forms in which data travels and is stored. */
final class PackedDataTest {

    @Test
    void numbersAndTextsSurvive() {
        long[] numbers = {0, 1, 127, 128, 300, Integer.MAX_VALUE, Long.MAX_VALUE};
        PackWriter writer = new PackWriter();
        Arrays.stream(numbers).forEach(writer::number);
        byte[] packed = writer.text("Ünï 中").bytes(new byte[] {9}).toBytes();
        PackReader reader = new PackReader(packed);
        for (long number : numbers) {
            assertThat(reader.number()).isEqualTo(number);
        }
        assertThat(reader.text()).isEqualTo("Ünï 中");
        assertThat(reader.bytes()).containsExactly(9);
        assertThat(reader.isAtEnd()).isTrue();
        assertThatIllegalArgumentException().isThrownBy(reader::number);
    }

    @Test
    void damagedBytesAreRefusedAndTakeNoMemory() {
        Random random = new Random(7);
        byte[] good = new SecondCounts(5, Map.of("a", new Figures(1, 2, 3, 4)), Latencies.NONE).toBytes();
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = i % 2 == 0 ? good.clone() : new byte[random.nextInt(40)];
            for (int j = 0; j < 3 && bad.length > 0; j++) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try {
                SecondCounts.of(bad);
                RefusedMinute.of(bad);
                DecisionEntry.list(bad);
            } catch (IllegalArgumentException e) {
                // As it should be.
            }
        }
        byte[] long1 = {-1, -1, -1, -1, -1, -1, -1, -1, 127};
        assertThatIllegalArgumentException().isThrownBy(() -> new PackReader(long1).count());
    }

    @Test
    void countsOfASecondSurvive() {
        long[] spans = new long[Latencies.SPANS];
        spans[3] = 7;
        spans[Latencies.SPANS - 1] = 1;
        SecondCounts counts = new SecondCounts(
                1_800_000_000,
                Map.of("", new Figures(5, 0, 0, 0), "login", new Figures(0, 9, 1, 2)),
                Latencies.of(spans));
        assertThat(SecondCounts.of(counts.toBytes())).isEqualTo(counts);
        assertThat(counts.total()).isEqualTo(new Figures(5, 9, 1, 2));
    }

    @Test
    void percentilesAreNeverTooLowAndAtMostAQuarterTooHigh() {
        Random random = new Random(3);
        long[] nanos = random.longs(10_000, 1, 2_000_000_000).sorted().toArray();
        long[] spans = new long[Latencies.SPANS];
        Arrays.stream(nanos).forEach(each -> spans[Latencies.span(each)]++);
        Latencies all = Latencies.of(spans);
        for (double share : new double[] {0.01, 0.5, 0.95, 0.99, 1}) {
            double exact = nanos[(int) Math.ceil(share * nanos.length) - 1] / 1_000.0;
            assertThat((double) all.micros(share)).isBetween(exact, Math.max(exact * 1.26, exact + 1));
        }
        assertThat(all.plus(all).micros(0.5)).isEqualTo(all.micros(0.5));
        assertThat(Latencies.NONE.micros(0.5)).isZero();
        for (int span = 1; span < Latencies.SPANS; span++) {
            assertThat(Latencies.span(Latencies.micros(span - 1) * 1_000)).isEqualTo(span);
        }
    }

    @Test
    void fewCallersAreCountedExactly() throws Exception {
        FrequentCallers one = new FrequentCallers(128);
        FrequentCallers other = new FrequentCallers(128);
        for (int i = 0; i < 50; i++) {
            one.add(mark(i), i + 1);
            other.add(mark(i), 100);
        }
        one.merge(FrequentCallers.of(other.toBytes(), 128));
        assertThat(one.error()).isZero();
        assertThat(one.counted()).hasSize(50);
        assertThat(one.counted().get(0)).isEqualTo(new FrequentCallers.Frequency(mark(49), 150, 0));
    }

    @Test
    void manyCallersAreCountedWithinTheErrorThatIsTold() throws Exception {
        Random random = new Random(5);
        Map<String, Long> exact = new HashMap<>();
        FrequentCallers merged = new FrequentCallers(512);
        for (int node = 0; node < 3; node++) {
            FrequentCallers own = new FrequentCallers(128);
            for (int i = 0; i < 20_000; i++) {
                CallerMark caller = mark((int) Math.abs(random.nextGaussian() * 400));
                own.add(caller, 1);
                exact.merge(caller.hash(), 1L, Long::sum);
            }
            merged.merge(FrequentCallers.of(own.toBytes(), 128));
        }
        assertThat(merged.error()).isPositive();
        for (FrequentCallers.Frequency each : merged.counted()) {
            long truth = exact.getOrDefault(each.caller().hash(), 0L);
            assertThat(truth).isBetween(each.most() - each.error(), each.most());
        }
        long told = merged.counted().stream()
                .map(each -> each.caller().hash())
                .distinct()
                .count();
        assertThat(told).isEqualTo(merged.counted().size());
        exact.forEach((hash, truth) -> {
            if (truth > merged.error()) {
                assertThat(merged.counted())
                        .anyMatch(each -> each.caller().hash().equals(hash));
            }
        });
    }

    @Test
    void differentCallersAreCountedAcrossProcesses() throws Exception {
        DistinctCallers one = new DistinctCallers();
        DistinctCallers other = new DistinctCallers();
        for (int i = 0; i < 200; i++) {
            one.add(mark(i));
            one.add(mark(i));
            other.add(mark(i + 20));
        }
        assertThat(one.estimate()).isEqualTo(200);
        one.merge(DistinctCallers.of(other.toBytes()));
        assertThat(one.estimate()).isEqualTo(220);
        for (int i = 0; i < 50_000; i++) {
            one.add(mark(i));
        }
        assertThat((double) one.estimate()).isCloseTo(50_000, within(15_000.0));
        assertThat(DistinctCallers.of(one.toBytes()).estimate()).isEqualTo(one.estimate());
        assertThatIllegalArgumentException().isThrownBy(() -> one.add(new CallerMark("", "short")));
        assertThatIllegalArgumentException().isThrownBy(() -> DistinctCallers.of(new byte[9]));
    }

    @Test
    void aDecisionSurvivesItsText() {
        DecisionEntry entry = new DecisionEntry(
                1_800_000_000_123L,
                "req-1",
                "4bf92f3577b34da6a3ce929d0e0e4736",
                "user-service",
                "/api/login\n\"<b>",
                "POST",
                Map.of("ip", new CallerMark("203.0.113.*", "h1"), "user", new CallerMark("", "h2345678901")),
                "login",
                "login.0",
                DecisionEntry.Outcome.REJECTED,
                "exceeds 5 per 60s",
                5,
                5,
                1,
                "distributed",
                "",
                12,
                Optional.of(new CallerMark("203.0.113.*", "h1")));
        assertThat(DecisionEntry.list(DecisionEntry.toBytes(List.of(entry, entry))))
                .containsExactly(entry, entry);
        assertThat(entry.toJson())
                .contains(
                        "\"timestamp\":\"2027-01-15T08:00:00.123Z\"",
                        "\"decision\":\"rejected\"",
                        "\"user\":\"#h2345678\"")
                .doesNotContain("\n");
    }

    private static CallerMark mark(int i) throws Exception {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(("c" + i).getBytes(StandardCharsets.UTF_8));
        return new CallerMark(
                "c****" + i % 10, Base64.getUrlEncoder().withoutPadding().encodeToString(hash));
    }
}
