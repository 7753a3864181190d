package io.sluice.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SourceTreeTest {

    @TempDir
    Path folder;

    @Test
    void leavesOutBuildOutputAndHiddenFolders() throws IOException {
        Path root = folder.resolve(".checkout");
        for (String file : List.of("a/src/A.java", "a/src/a.md", "a/target/gen/B.java", ".git/C.java")) {
            Path path = root.resolve(file);
            Files.createDirectories(path.getParent());
            Files.createFile(path);
        }

        assertThat(SourceTree.files(root, ".java")).containsExactly(root.resolve("a/src/A.java"));
    }
}
