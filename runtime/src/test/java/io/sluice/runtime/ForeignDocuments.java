package io.sluice.runtime;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.source.DocumentReading;
import io.sluice.rules.source.DocumentSource;
import io.sluice.rules.source.DocumentSourceProvider;
import io.sluice.rules.yaml.DocumentError;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A source of rules that Sluice does not know: {@code foreign:NAME} is a document in a map. Besides this class it needs one line in {@code
 * META-INF/services}, and nothing else changes.
 */
final class ForeignDocuments implements DocumentSource {

    /** The documents by name. One that is empty stands for a server that is away. */
    static final Map<String, String> TEXTS = new ConcurrentHashMap<>();

    private final String name;

    private ForeignDocuments(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return "the foreign place";
    }

    @Override
    public Duration every() {
        return Duration.ofMillis(10);
    }

    @Override
    public DocumentReading read(Known known) {
        @Nullable String text = TEXTS.get(name);
        if (text == null) {
            return new DocumentReading.Missing(DocumentError.of(name, "document: missing (expected: rules)"));
        }
        if (text.isEmpty()) {
            return new DocumentReading.Unreachable("it is closed", false, false);
        }
        return text.equals(known.revision())
                ? new DocumentReading.Unchanged()
                : new DocumentReading.Documents(text, RuleDocument.parse(name, text));
    }

    /** Opens {@code foreign:} addresses. */
    public static final class Provider implements DocumentSourceProvider {

        @Override
        public boolean opens(String scheme) {
            return scheme.equals("foreign");
        }

        @Override
        public DocumentSource open(URI address, String nodeId) {
            return new ForeignDocuments(address.getSchemeSpecificPart());
        }
    }
}
