package io.sluice.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlotTest {

    @TempDir
    Path folder;

    @Test
    void drawsAnyTally() throws Exception {
        for (Tally tally : List.of(
                new Tally(List.of()),
                new Tally(List.of(new Tally.Second(7, 0, 0, 0))),
                new Tally(List.of(new Tally.Second(7, 1000, 9000, 0), new Tally.Second(8, 3_000_000, 0, 1))))) {
            Path file = folder.resolve("plot.png");
            Plot.write(tally, 1000, file);
            BufferedImage image = ImageIO.read(file.toFile());
            assertThat(image.getWidth()).isEqualTo(1000);
        }
    }
}
