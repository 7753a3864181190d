package io.sluice.system;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * The commands in README and docs, typed as a reader would.
 *
 * <p>The short form follows each verb once, such as {@code ./sluice apply}, and the requests that are for a process that runs then. A page
 * leaves what runs to the next page. {@link PageOfMostVerbsTest} follows one page of them at the same time. The long form follows all
 * pages, each in a folder of its own. {@code DocumentsTest} checks the options of all commands, and {@code ImportTest} the imports.
 */
@Timeout(600)
final class DocumentedCommandsTest {

    @TestFactory
    Stream<DynamicTest> everyVerbWorksOnce() throws Exception {
        List<Path> pages = new ArrayList<>(DocumentReader.withNewVerbs());
        Set<String> followed = new HashSet<>(DocumentReader.verbs(pages.remove(0)));
        // The requests of these pages are for processes that run here.
        followed.remove("curl");
        // The page that stops its process is the last one, so that it need not be started again.
        Collections.reverse(pages);
        DocumentReader reader = new DocumentReader(followed);
        return pages.stream().map(reader::test).onClose(reader::close);
    }

    @TestFactory
    @Tag("long")
    Stream<DynamicTest> everyCommandOfEveryPageWorks() {
        return DocumentReader.pages()
                .map(page -> DynamicTest.dynamicTest(page.toString(), () -> {
                    try (DocumentReader reader = new DocumentReader(null)) {
                        reader.follow(page);
                    }
                }));
    }
}
