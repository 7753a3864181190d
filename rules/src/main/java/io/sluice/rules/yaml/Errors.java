package io.sluice.rules.yaml;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Collects the errors of one document, up to a thousand: whoever reads {@linkplain #within within} its bounds stops at one more.
 * Not for several threads.
 */
public final class Errors {

    private static final int MOST = 1_000;

    private final String file;
    private final List<DocumentError> list = new ArrayList<>();
    private long count;

    public Errors(String file) {
        this.file = file;
    }

    public void add(Place place, String message) {
        if (++count > MOST) {
            throw new TooMany();
        }
        list.add(new DocumentError(file, place.line(), place.column(), message));
    }

    /** Reads something; empty if there were so many errors that it was not read to its end. */
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

    /** How many so far: the same before and after a part of the document means that it has none. */
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

    private static final class TooMany extends RuntimeException {

        private static final long serialVersionUID = 1;

        TooMany() {
            super("errors", null, false, false);
        }
    }
}
