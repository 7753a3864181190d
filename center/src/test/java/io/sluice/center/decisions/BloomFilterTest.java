package io.sluice.center.decisions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BloomFilterTest {

    private static boolean mayHave(byte[] filter, long hash) {
        int block = BloomFilter.block(hash, filter.length / BloomFilter.BLOCK);
        return BloomFilter.mayHave(
                Arrays.copyOfRange(filter, block * BloomFilter.BLOCK, (block + 1) * BloomFilter.BLOCK), hash);
    }

    private static long hash(long number) {
        return Term.REQUEST.hash("request-" + number);
    }

    @Test
    void neverDeniesWhatIsInTheSet() {
        byte[] filter = BloomFilter.of(
                LongStream.range(0, 50_000).map(BloomFilterTest::hash).toArray());
        assertThat(LongStream.range(0, 50_000).allMatch(each -> mayHave(filter, hash(each))))
                .isTrue();
    }

    @Test
    void deniesAlmostEverythingElse() {
        byte[] filter = BloomFilter.of(
                LongStream.range(0, 50_000).map(BloomFilterTest::hash).toArray());
        long wrong = LongStream.range(50_000, 150_000)
                .filter(each -> mayHave(filter, hash(each)))
                .count();
        assertThat(wrong).isLessThan(1_500);
        assertThat(filter.length).isLessThan(50_000 * 2);
    }

    @Test
    void theSameHashTwiceTakesNoRoom() {
        long[] same = LongStream.range(0, 50_000).map(each -> hash(7)).toArray();
        assertThat(BloomFilter.of(same)).hasSize(BloomFilter.BLOCK);
        assertThat(BloomFilter.of(new long[0])).hasSize(BloomFilter.BLOCK);
    }
}
