package io.sluice.rules.yaml;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Collects the warnings of one document about legal content that the author probably did not intend. At most 1,000 are kept.
 * Not thread-safe.
 */
public final class Warnings {

    private static final int MOST = 1_000;

    private final String file;
    private final List<DocumentError> list = new ArrayList<>();

    /** The warning at the first use of each unknown attribute, by its name. */
    private final Map<String, DocumentError> unknown = new HashMap<>();

    private final Set<String> declared = new HashSet<>();

    Warnings(String file) {
        this.file = file;
    }

    public void add(Place place, String message) {
        if (list.size() < MOST) {
            list.add(at(place, message));
        }
    }

    /** Adds a warning about a name, once, unless the name turns out to be declared. */
    public void addUnknown(String name, Place place, String message) {
        if (unknown.size() < MOST) {
            unknown.putIfAbsent(name, at(place, message));
        }
    }

    /** Declares a name, for uses before and after this call. */
    public void declare(String name) {
        declared.add(name);
    }

    public Set<String> declared() {
        return Set.copyOf(declared);
    }

    /**
     * Returns all warnings in document order.
     *
     * @param known the names that were declared in any document of the set
     */
    public List<DocumentError> list(Collection<String> known) {
        List<DocumentError> all = new ArrayList<>(list);
        unknown.forEach((name, warning) -> {
            if (!known.contains(name)) {
                all.add(warning);
            }
        });
        all.sort(Comparator.comparingInt(DocumentError::line).thenComparingInt(DocumentError::column));
        return all;
    }

    private DocumentError at(Place place, String message) {
        return new DocumentError(file, place.line(), place.column(), message);
    }
}
