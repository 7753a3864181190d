package io.sluice.replay.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CompressedLogsTest {

    private static final int LINES = 5_000;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "zstd"})
    void isReadWhateverItsNameIs(String kind) throws IOException {
        Path file = Files.write(folder.resolve("access.log"), compressed(kind));
        ReadLog log = ReadLog.of(LogOptions.wanting(Set.of()), List.of(LogInput.of(file)));
        assertThat(log.requests()).hasSize(LINES);
        assertThat(log.problems().damaged()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "zstd"})
    void aTruncatedFileIsReadUpToTheDamage(String kind) throws IOException {
        byte[] whole = compressed(kind);
        Path file = Files.write(folder.resolve("access.log"), Arrays.copyOf(whole, whole.length * 2 / 3));
        ReadLog log = ReadLog.of(LogOptions.wanting(Set.of()), List.of(LogInput.of(file)));
        assertThat(log.requests()).hasSizeBetween(1, LINES - 1);
        assertThat(log.problems().damaged())
                .singleElement()
                .asString()
                .matches(".*access\\.log:\\d+:1: the file ends early: .* \\(expected: a whole file\\)");
    }

    @Test
    void membersThatFollowEachOtherAreOneLog() throws IOException {
        ByteArrayOutputStream two = new ByteArrayOutputStream();
        two.writeBytes(compressed("gzip"));
        two.writeBytes(compressed("gzip"));
        ReadLog log = ReadLog.of(LogOptions.wanting(Set.of()), two.toByteArray());
        // The second one begins where the first one began, which is more than a minute behind its end.
        assertThat(log.requests().size() + log.problems().late()).isEqualTo(2 * LINES);
    }

    @Test
    void anEmptyFileHasNoRequests() throws IOException {
        Path file = Files.write(folder.resolve("access.log"), new byte[0]);
        ReadLog log = ReadLog.of(LogOptions.wanting(Set.of()), List.of(LogInput.of(file)));
        assertThat(log.requests()).isEmpty();
        assertThat(log.problems().unreadable()).isZero();
    }

    private static byte[] compressed(String kind) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < LINES; i++) {
            text.append("203.0.113.").append(i * 7919 % 250);
            text.append(" - - [17/Nov/2026:22:").append(10 + i / 1_000).append(":00 +0000] \"GET /p/");
            text.append(Long.toHexString(i * 0x9e3779b97f4a7c15L)).append(" HTTP/1.1\" 200 1\n");
        }
        byte[] plain = text.toString().getBytes(StandardCharsets.UTF_8);
        if (kind.equals("zstd")) {
            return Zstd.compress(plain);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        }
        return out.toByteArray();
    }
}
