package io.sluice.rules.document;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The JSON Schema (draft 2020-12) of rule documents, for editors. */
public final class RuleSchema {

    private static final String FILE = "rule-schema.json";

    private RuleSchema() {}

    /** The schema as JSON, the same as {@code docs/rule-schema.json}. */
    public static String json() {
        try (InputStream in = RuleSchema.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
