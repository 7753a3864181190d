package io.sluice.rules.yaml;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the errors of one document. Not for several threads. */
public final class Errors {

    private static final int MOST = 1_000;

    private final String file;
    private final List<DocumentError> list = new ArrayList<>();
    private long count;

    public Errors(String file) {
        this.file = file;
    }

    public void add(Place place, String message) {
        if (count++ < MOST) {
            list.add(new DocumentError(file, place.line(), place.column(), message));
        }
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** How many so far, the unlisted ones too: the same before and after a part of the document means that it has none. */
    public long count() {
        return count;
    }

    public String file() {
        return file;
    }

    /** All errors in the order of the document; after a thousand a last one says that there are more. */
    public List<DocumentError> list() {
        List<DocumentError> sorted = new ArrayList<>(list);
        sorted.sort(Comparator.comparingInt(DocumentError::line).thenComparingInt(DocumentError::column));
        if (count > MOST) {
            sorted.add(
                    DocumentError.of(file, "errors: more than " + MOST + " (expected: none; the rest is not listed)"));
        }
        return List.copyOf(sorted);
    }
}
