package io.sluice.center.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AssetTest {

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate, gzip, br", "br;q=1.0, GZIP;q=0.5", "gzip ; q=0.001", "gzip;q=1"})
    void aBrowserThatTakesGzipGetsIt(String accepted) {
        assertThat(Asset.takesGzip(accepted)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "br", "gzip;q=0", "br, gzip; q=0.000", "gzip;Q=0", "x-gzipped", "*;q=0.1"})
    void everybodyElseGetsThePlainFile(String accepted) {
        assertThat(Asset.takesGzip(accepted)).isFalse();
    }

    @Test
    void aProgramThatSaysNothingGetsThePlainFile() {
        assertThat(Asset.takesGzip(null)).isFalse();
    }
}
