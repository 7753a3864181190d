package io.sluice.rules.source;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.yaml.DocumentError;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Remembers the warnings of a document, so that each warning is logged once and not at every reload. Thread-safe. */
public final class WarningMemory {

    private static final int MOST = 10;

    private Set<String> known = Set.of();

    /** Returns the lines to log: at most ten warnings that the last document did not have. Their place in the file does not matter. */
    public synchronized List<String> fresh(RuleDocument document) {
        Set<String> now = new LinkedHashSet<>();
        List<String> lines = new ArrayList<>();
        int more = 0;
        for (DocumentError warning : document.warnings()) {
            String text = warning.file() + ": " + warning.message();
            if (now.add(text) && !known.contains(text)) {
                if (lines.size() < MOST) {
                    lines.add("rules in doubt: " + warning);
                } else {
                    more++;
                }
            }
        }
        if (more > 0) {
            lines.add("rules in doubt: " + more + " more warnings; ./sluice lint shows all");
        }
        known = now;
        return lines;
    }
}
