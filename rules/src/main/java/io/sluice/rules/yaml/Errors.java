package io.sluice.rules.yaml;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Collects the errors of one document, at most 1,000. One more error ends the reading that runs in {@link #within within}. Not
 * thread-safe.
 */
public final class Errors {

    private static final int MOST = 1_000;

    private final String file;
    private final List<DocumentError> list = new ArrayList<>();
    private final Warnings warnings;
    private long count;

    public Errors(String file) {
        this.file = file;
        this.warnings = new Warnings(file);
    }

    /** Returns the warnings of the same document. They do not refuse it. */
    public Warnings warnings() {
        return warnings;
    }

    public void add(Place place, String message) {
        if (++count > MOST) {
            throw new TooMany();
        }
        list.add(new DocumentError(file, place.line(), place.column(), message));
    }

    /** Runs a reader. Returns empty if there were too many errors to read to the end. */
    public <T> Optional<T> within(Supplier<T> reading) {
        try {
            return Optional.of(reading.get());
        } catch (TooMany e) {
            return Optional.empty();
        }
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /**
     * Returns the number of errors so far. If it is the same before and after a part of the document, that part has no errors.
     */
    public long count() {
        return count;
    }

    public String file() {
        return file;
    }

    /** Returns all errors in document order. If there are more than 1,000, the last entry reports this. */
    public List<DocumentError> list() {
        List<DocumentError> sorted = new ArrayList<>(list);
        sorted.sort(Comparator.comparingInt(DocumentError::line).thenComparingInt(DocumentError::column));
        if (count > MOST) {
            sorted.add(
                    DocumentError.of(file, "errors: more than " + MOST + " (expected: none; the rest is not listed)"));
        }
        return List.copyOf(sorted);
    }

    private static final class TooMany extends RuntimeException {

        private static final long serialVersionUID = 1;

        TooMany() {
            super("errors", null, false, false);
        }
    }
}
