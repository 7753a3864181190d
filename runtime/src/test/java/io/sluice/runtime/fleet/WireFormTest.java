package io.sluice.runtime.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes and centers of different versions read each other's reports and answers, so not a byte of what is written changes. */
class WireFormTest {

    /** A text that arrives, and how the same is written. */
    record Golden(String title, String arrives, String written) {

        @Override
        public String toString() {
            return title;
        }
    }

    @ParameterizedTest
    @MethodSource
    void reportsStayByteForByte(Golden golden) {
        assertThat(NodeReport.parse(golden.arrives).toJson()).isEqualTo(golden.written);
    }

    @ParameterizedTest
    @MethodSource
    void answersStayByteForByte(Golden golden) {
        assertThat(Fleet.parse(golden.arrives).toJson()).isEqualTo(golden.written);
    }

    static Stream<Golden> reportsStayByteForByte() {
        return read("reports.txt");
    }

    static Stream<Golden> answersStayByteForByte() {
        return read("fleets.txt");
    }

    private static Stream<Golden> read(String file) {
        try (InputStream in = WireFormTest.class.getResourceAsStream(file)) {
            List<String> lines =
                    new String(in.readAllBytes(), UTF_8).lines().skip(2).toList();
            return IntStream.iterate(0, i -> i < lines.size(), i -> i + 4)
                    .mapToObj(i -> new Golden(lines.get(i).substring(2), lines.get(i + 1), lines.get(i + 2)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
