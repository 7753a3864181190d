package io.sluice.center.export;

import io.sluice.center.refusal.RefusedException;
import java.util.List;

/** The format of an export. */
enum ExportFormat {

    /** JSON lines with all data that a verifier needs. */
    JSONL("jsonl", "application/jsonl"),

    /** A table for people. It cannot be verified. */
    CSV("csv", "text/csv; charset=UTF-8; header=present");

    private final String word;
    private final String type;

    ExportFormat(String word, String type) {
        this.word = word;
        this.type = type;
    }

    static ExportFormat of(String text) {
        return List.of(values()).stream()
                .filter(each -> each.word.equals(text))
                .findFirst()
                .orElseThrow(() -> RefusedException.invalid("format: unknown (expected: jsonl or csv)"));
    }

    String type() {
        return type;
    }

    String fileName() {
        return "audit." + word;
    }
}
