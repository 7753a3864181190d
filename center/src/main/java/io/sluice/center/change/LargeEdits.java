package io.sluice.center.change;

import io.sluice.center.edit.Edits;
import io.sluice.center.edit.EditsJson;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads stored edits. Reading the edits of thousands of rules takes long, and every list of changes contains them, so the last few are
 * kept. Thread-safe.
 */
final class LargeEdits {

    private static final int LARGE = 100_000;
    private static final int KEPT = 4;

    /** The edits by their text. An entry is therefore never out of date. */
    private final Map<String, Edits> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Edits> eldest) {
            return size() > KEPT;
        }
    };

    Edits read(String text) {
        if (text.length() < LARGE) {
            return EditsJson.read(text);
        }
        synchronized (known) {
            Edits edits = known.get(text);
            if (edits != null) {
                return edits;
            }
        }
        Edits read = EditsJson.read(text);
        synchronized (known) {
            known.put(text, read);
        }
        return read;
    }
}
