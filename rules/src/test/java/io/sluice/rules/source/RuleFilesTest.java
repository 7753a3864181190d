package io.sluice.rules.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.source.RuleFiles.Content;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RuleFilesTest {

    @TempDir
    Path folder;

    @Test
    void whatHasNotChangedIsTheSameContent() throws Exception {
        write(folder, "a.yaml", "one");
        write(folder, "b.yaml", "two");
        Content content = RuleFiles.read(folder);

        assertThat(content.again()).isSameAs(content);
        write(folder, "b.yaml", "two");
        assertThat(content.again()).isSameAs(content);
    }

    @Test
    void aFailureThatStaysIsTheSameContent() throws Exception {
        Content missing = RuleFiles.read(folder.resolve("missing.yaml"));
        Content empty = RuleFiles.read(folder);
        assertThat(missing.again()).isSameAs(missing);
        assertThat(empty.again()).isSameAs(empty);

        Files.createSymbolicLink(folder.resolve("a.yaml"), Path.of("nowhere"));
        Content dangling = RuleFiles.read(folder);
        assertThat(dangling.again()).isSameAs(dangling);
        assertThat(empty.again()).isNotSameAs(empty);
    }

    @Test
    void everyByteCounts() throws Exception {
        Path file = folder.resolve("a.yaml");
        byte[] bytes = new byte[200_000];
        Files.write(file, bytes);
        Content content = RuleFiles.read(file);
        for (int at : new int[] {0, 65_535, 65_536, 131_071, 199_999}) {
            bytes[at] = 1;
            Files.write(file, bytes);
            assertThat(content.again().equals(content)).as("byte %d", at).isFalse();
            bytes[at] = 0;
        }
        Files.write(file, new byte[199_999]);
        assertThat(content.again().equals(content)).isFalse();
        Files.write(file, new byte[200_001]);
        assertThat(content.again().equals(content)).isFalse();
        Files.write(file, bytes);
        assertThat(content.again()).isSameAs(content);
    }

    @Test
    void refusesMoreFilesThanCanBePolledTwiceASecond() throws Exception {
        for (int i = 0; i <= RuleFiles.MOST_FILES; i++) {
            Files.createFile(folder.resolve(i + ".yaml"));
        }
        assertThat(errors(RuleFiles.read(folder)))
                .containsExactly(folder + ": directory: 1001 rule files (expected: at most 1000)");
    }

    @Test
    void refusesMoreBytesThanADocumentMayHave() throws Exception {
        long most = FileContent.MOST_BYTES;
        try (RandomAccessFile one =
                        new RandomAccessFile(folder.resolve("a.yaml").toFile(), "rw");
                RandomAccessFile two =
                        new RandomAccessFile(folder.resolve("b.yaml").toFile(), "rw")) {
            one.setLength(most + 1);
            assertThat(errors(RuleFiles.read(folder.resolve("a.yaml"))))
                    .containsExactly(folder.resolve("a.yaml") + ": size: " + (most + 1) + " bytes (expected: at most "
                            + most + ")");
            one.setLength(most / 2 + 1);
            two.setLength(most / 2 + 1);
            Content content = RuleFiles.read(folder);
            assertThat(errors(content))
                    .containsExactly(
                            folder + ": size: more than " + most + " bytes in all (expected: at most " + most + ")");
            assertThat(content.again()).isSameAs(content);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aDeviceInADirectoryIsNotRead() throws Exception {
        Files.createSymbolicLink(folder.resolve("a.yaml"), Path.of("/dev/zero"));

        assertThat(errors(RuleFiles.read(folder)))
                .containsExactly(folder.resolve("a.yaml") + ": file: a pipe or device (expected: a rule document)");
    }

    /** Generations follow each other as fast as they can be created. Each read sees exactly one of them. */
    @Test
    void aSwapInTheMiddleOfReadingIsNeverSeenHalf() throws Exception {
        List<String> names = List.of("a.yaml", "b.yaml", "c.yaml");
        generation(0, names);
        ExecutorService kubelet = Executors.newSingleThreadExecutor();
        try {
            Future<?> swapping = kubelet.submit(() -> {
                for (int i = 1; i <= 300; i++) {
                    generation(i, names);
                    for (String name : names) {
                        Files.delete(folder.resolve(".." + (i - 1)).resolve(name));
                    }
                    Files.delete(folder.resolve(".." + (i - 1)));
                }
                return null;
            });
            Content content = RuleFiles.read(folder);
            while (!swapping.isDone()) {
                content = content.again();
                requireOneGeneration(content, names.size());
            }
            swapping.get();
            assertThat(requireOneGeneration(content.again(), names.size())).containsExactly("300");
        } finally {
            kubelet.shutdownNow();
        }
    }

    private Set<String> requireOneGeneration(Content content, int files) {
        RuleDocument document = content.document();
        if (document instanceof RuleDocument.Refused refused) {
            assertThat(refused.errors()).singleElement().asString().contains("keeps changing while being read");
            return Set.of();
        }
        List<String> ids = ((RuleDocument.Accepted) document)
                .rules().stream().map(rule -> rule.id().substring(2)).toList();
        assertThat(ids).hasSize(files);
        assertThat(Set.copyOf(ids)).hasSize(1);
        return Set.copyOf(ids);
    }

    private void generation(int number, List<String> names) throws IOException {
        Path target = Files.createDirectory(folder.resolve(".." + number));
        for (String name : names) {
            write(target, name, name.charAt(0) + "-" + number);
        }
        KubernetesMount.swap(folder, ".." + number);
    }

    private static void write(Path folder, String name, String id) throws IOException {
        Files.writeString(folder.resolve(name), "rules: [{ id: " + id + ", limits: [{ rate: 1 }] }]");
    }

    private static List<String> errors(Content content) {
        return ((RuleDocument.Refused) content.document())
                .errors().stream().map(Object::toString).collect(Collectors.toList());
    }
}
