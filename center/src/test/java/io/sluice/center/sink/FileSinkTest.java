package io.sluice.center.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSinkTest {

    @TempDir
    Path folder;

    @Test
    void appendsLinesThatOnlyTheOwnerReads() throws Exception {
        Path file = folder.resolve("audit.jsonl");
        FileSink sink = sink(1_000_000, 3);
        sink.send(messages(1, 2));
        sink.disconnect();
        sink.send(messages(3, 3));
        assertThat(Files.readAllLines(file)).containsExactly("line 1", "line 2", "line 3");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void putsALargeFileAsideAndKeepsAFew() throws Exception {
        FileSink sink = sink(20, 2);
        sink.send(messages(1, 9));
        assertThat(lines("audit.jsonl")).containsExactly("line 9");
        assertThat(lines("audit.jsonl.1")).containsExactly("line 7", "line 8");
        assertThat(lines("audit.jsonl.2")).containsExactly("line 5", "line 6");
        assertThat(folder.resolve("audit.jsonl.3")).doesNotExist();
    }

    @Test
    void aLineThatWasCutOffDoesNotSpoilTheNext() throws Exception {
        Path file = Files.writeString(folder.resolve("audit.jsonl"), "line 1\nlin");
        sink(1_000_000, 2).send(messages(2, 2));
        assertThat(Files.readAllLines(file)).containsExactly("line 1", "lin", "line 2");
    }

    @Test
    void goesOnInANewFileIfAnotherProgramPutsItAside() throws Exception {
        FileSink sink = sink(1_000_000, 2);
        sink.send(messages(1, 1));
        Files.move(folder.resolve("audit.jsonl"), folder.resolve("other"));
        sink.send(messages(2, 2));
        assertThat(lines("other")).containsExactly("line 1");
        assertThat(lines("audit.jsonl")).containsExactly("line 2");
    }

    @Test
    void saysThatTheFileCannotBeWritten() throws Exception {
        Files.createDirectory(folder.resolve("audit.jsonl"));
        assertThatThrownBy(() -> sink(1_000_000, 2).send(messages(1, 1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("audit.jsonl cannot be written");
    }

    private FileSink sink(long maxBytes, int keep) {
        return new FileSink(new AuditSink.File(folder.resolve("audit.jsonl"), maxBytes, keep));
    }

    private List<String> lines(String name) throws IOException {
        return Files.readAllLines(folder.resolve(name));
    }

    private static List<SinkMessage> messages(int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(i -> new SinkMessage("log", 0, "test", false, "line " + i, "short"))
                .toList();
    }
}
