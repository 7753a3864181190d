package io.sluice.node.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.docs.Snippet;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ApiKeyDocumentsTest {

    @Test
    void filesOfKeysInTheDocsCanBeRead() throws Exception {
        List<Snippet> files = Snippet.pages(Path.of("..")).stream()
                .flatMap(page -> Snippet.of(page).stream())
                .filter(snippet -> snippet.text().startsWith("keys:"))
                .toList();
        assertThat(files).isNotEmpty();
        for (Snippet file : files) {
            assertThat(ApiKeyTable.read(file.toString(), file.text())).isNotNull();
        }
    }
}
