package io.sluice.center.series;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.runtime.data.Figures;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Packed figures are read as they were written, and damaged ones are refused. */
class BlockTest {

    @Test
    void randomFiguresAreReadAsTheyWereWritten() {
        Random random = new Random(5);
        for (int round = 0; round < 200; round++) {
            Block block = new Block(60);
            for (int track = random.nextInt(5); track > 0; track--) {
                int filled = random.nextInt(80);
                Track made = block.made("rule " + track);
                for (int i = 0; i < filled; i++) {
                    made.add(
                            random.nextInt(60),
                            new Figures(
                                    random.nextLong(SeriesSum.MOST),
                                    random.nextInt(3),
                                    random.nextInt(2),
                                    random.nextInt(2)),
                            SeriesBench.latencies(random, random.nextInt(3)));
                }
            }
            Block read = Block.of(block.toBytes(), 60);
            assertThat(read.tracks().keySet()).isEqualTo(block.tracks().keySet());
            block.tracks().forEach((name, track) -> {
                for (int slot = 0; slot < 60; slot++) {
                    assertThat(read.made(name).at(slot)).isEqualTo(track.at(slot));
                }
            });
        }
    }

    @Test
    void damagedBytesAreRefusedAndNothingElseHappens() {
        Random random = new Random(6);
        Block block = new Block(60);
        block.made("login").add(3, new Figures(1, 2, 3, 4), SeriesBench.latencies(random, 50));
        byte[] good = block.toBytes();
        assertThatThrownBy(() -> Block.of(good, 24)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Block.of(new byte[0], 60)).isInstanceOf(IllegalArgumentException.class);
        for (int i = 0; i < 2_000; i++) {
            byte[] bad = random.nextBoolean() ? good.clone() : Arrays.copyOf(good, random.nextInt(good.length));
            if (bad.length > 0) {
                bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                var unused = Block.of(bad, 60);
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("expected");
            }
        }
    }
}
