package io.sluice.system;

import java.util.HashSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** The commands of the page with the most verbs, each verb once. {@link DocumentedCommandsTest} has the other pages. */
@Timeout(600)
final class PageOfMostVerbsTest {

    @TestFactory
    Stream<DynamicTest> everyVerbWorksOnce() throws Exception {
        DocumentReader reader = new DocumentReader(new HashSet<>());
        return Stream.of(DocumentReader.withNewVerbs().get(0)).map(reader::test).onClose(reader::close);
    }
}
