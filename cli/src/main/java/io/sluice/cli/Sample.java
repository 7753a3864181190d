package io.sluice.cli;

import io.sluice.node.Node;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The rules that come with the program. */
final class Sample {

    private static final String FILE = "sample.yaml";

    private Sample() {}

    static String text() {
        try (InputStream in = Sample.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is missing from the program");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Rule> rules() {
        return ((RuleDocument.Accepted) RuleDocument.parse("sample", text())).rules();
    }

    static boolean isInForce(Node node) {
        return node.rules().rules().containsAll(rules());
    }
}
