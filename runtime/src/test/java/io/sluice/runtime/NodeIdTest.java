package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeIdTest {

    /** Only ends tests that hang. */
    @TempDir
    private Path folder;

    @Test
    void staysTheSameAfterARestart() throws IOException {
        Path data = folder.resolve("a/b");

        String first = NodeId.of(Optional.of(data), "8082");
        String second = NodeId.of(Optional.of(data), "9999");

        assertThat(second).isEqualTo(first);
        assertThat(Files.readString(data.resolve("node-id"))).isEqualTo(first + "\n");
    }

    @Test
    void differsFromFolderToFolder() {
        assertThat(NodeId.of(Optional.of(folder.resolve("a")), "8082"))
                .isNotEqualTo(NodeId.of(Optional.of(folder.resolve("b")), "8082"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop-1", "shop-1\n", " shop-1 \r\n\r\n"})
    void takesAnIdThatAPersonWrote(String content) throws IOException {
        write(content.getBytes(StandardCharsets.UTF_8));

        assertThat(NodeId.of(Optional.of(folder), "8082")).isEqualTo("shop-1");
    }

    static Stream<byte[]> noIds() {
        return Stream.of("", "\n", "two words", "a/b", "a\nb", "x".repeat(129), "x".repeat(5_000), "节点")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @MethodSource("noIds")
    void replacesAFileThatHoldsNoId(byte[] content) throws IOException {
        write(content);

        assertReplaced();
    }

    @Test
    void replacesAFileThatIsNotText() throws IOException {
        write(new byte[] {(byte) 0xff, (byte) 0xfe, 0, 'x'});

        assertReplaced();
    }

    @Test
    void isMadeFromHostAndPortWithoutAFolder() throws IOException {
        assertThat(NodeId.of(Optional.empty(), "8082"))
                .isEqualTo(InetAddress.getLocalHost().getHostName() + ":8082")
                .isNotEqualTo(NodeId.of(Optional.empty(), "8083"));
    }

    @Test
    void isMadeFromHostAndPortIfItCannotBeStored() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        try (CapturedLog log = new CapturedLog(NodeId.class)) {
            assertThat(NodeId.of(Optional.of(file), "8082")).isEqualTo(NodeId.of(Optional.empty(), "8082"));

            assertThat(log.lines()).singleElement().asString().contains(file + "/node-id", "host name and port");
        }
    }

    /** Opening a pipe waits for a writer, and no interrupt ends that. */
    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void isMadeFromHostAndPortIfThereIsAFolderOrAPipeInThePlaceOfTheFile() throws Exception {
        Path one = folder.resolve("one");
        Path two = folder.resolve("two");
        Files.createDirectories(one.resolve("node-id"));
        Files.createDirectories(two);
        assertThat(new ProcessBuilder("mkfifo", two.resolve("node-id").toString())
                        .start()
                        .waitFor())
                .isZero();
        try (CapturedLog log = new CapturedLog(NodeId.class)) {
            for (Path data : new Path[] {one, two}) {
                assertThat(NodeId.of(Optional.of(data), "8082")).isEqualTo(NodeId.of(Optional.empty(), "8082"));
            }
            assertThat(log.lines()).hasSize(2).allSatisfy(line -> assertThat(line)
                    .contains("not a regular file"));
        }
    }

    private void assertReplaced() {
        String made = NodeId.of(Optional.of(folder), "8082");
        assertThat(made).matches("[0-9a-f-]{36}");
        assertThat(NodeId.of(Optional.of(folder), "8082")).isEqualTo(made);
    }

    private void write(byte[] content) throws IOException {
        Files.write(folder.resolve("node-id"), content);
    }
}
