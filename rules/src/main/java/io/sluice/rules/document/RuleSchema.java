package io.sluice.rules.document;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The JSON Schema (draft 2020-12) of rule documents, for editors. */
public final class RuleSchema {

    private static final String FILE = "rule-schema.json";

    private RuleSchema() {}

    /** Returns the schema as JSON, identical to {@code docs/rule-schema.json}. */
    public static String json() {
        try (InputStream in = RuleSchema.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + ": missing from the jar (expected: a resource)");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
