package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.rules.caller.KeySecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashKeyFileTest {

    private static final String KEY = "0123456789abcdef";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "\r\n", "\n\n\r\n"})
    void ignoresLineBreaksAtTheEnd(String end) throws IOException {
        assertThat(hash(HashKeyFile.read(file(KEY + end)))).isEqualTo(hash(KeySecret.of(bytes(KEY))));
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "\t", "\n "})
    void countsEveryOtherByte(String end) throws IOException {
        assertThat(hash(HashKeyFile.read(file(KEY + end)))).isEqualTo(hash(KeySecret.of(bytes(KEY + end))));
    }

    @Test
    void readsBytesThatAreNotText() throws IOException {
        byte[] key = new byte[32];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (0x80 + i);
        }
        Path file = Files.write(folder.resolve("key"), key);

        assertThat(hash(HashKeyFile.read(file))).isEqualTo(hash(KeySecret.of(key)));
    }

    @Test
    void followsALink() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), file(KEY));

        assertThat(hash(HashKeyFile.read(link))).isEqualTo(hash(KeySecret.of(bytes(KEY))));
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 1_024})
    void takesKeysOfTheLengthsThatAreAllowed(int length) throws IOException {
        assertThat(HashKeyFile.read(file("k".repeat(length)))).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 1_025, 4_095})
    void refusesKeysOfOtherLengthsWithoutShowingThem(int length) throws IOException {
        Path file = file("k".repeat(length) + "\n");

        assertThatThrownBy(() -> HashKeyFile.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("hash key: " + length + " bytes (expected: 16..1024)");
    }

    @Test
    void refusesAFileThatContinuesAfterManyLineBreaks() throws IOException {
        Path file = file(KEY + "\n".repeat(5_000) + "and more");

        assertThatThrownBy(() -> HashKeyFile.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("hash_key_file: more than 4096 bytes (expected: a key of 16..1024 bytes)");
    }

    /** Opening a pipe waits for a writer, and no interrupt ends that. */
    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void refusesWhatIsNoFile() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        for (Path place :
                new Path[] {folder, pipe, folder.resolve("missing"), file(KEY).resolve("below")}) {
            assertThatThrownBy(() -> HashKeyFile.read(place))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("hash_key_file: unreadable (expected: a file this user may read, 16 bytes or more)");
        }
    }

    private Path file(String content) throws IOException {
        return Files.writeString(folder.resolve("key"), content);
    }

    private static byte[] hash(KeySecret secret) {
        return secret.mac().doFinal(bytes("u-17"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
