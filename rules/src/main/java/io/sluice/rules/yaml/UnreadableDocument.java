package io.sluice.rules.yaml;

/** Thrown when a document cannot be parsed further. */
final class UnreadableDocument extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Place place;
    private final boolean outOfBounds;

    UnreadableDocument(Place place, String message) {
        this(place, message, false);
    }

    private UnreadableDocument(Place place, String message, boolean outOfBounds) {
        super(message, null, false, false);
        this.place = place;
        this.outOfBounds = outOfBounds;
    }

    /** Creates an exception for a document that is too large, both as JSON and as YAML. */
    static UnreadableDocument outOfBounds(Place place, String message) {
        return new UnreadableDocument(place, message, true);
    }

    boolean isOutOfBounds() {
        return outOfBounds;
    }

    Place place() {
        return place;
    }

    /** Returns whether this error is further down in the document than the other. */
    boolean isAfter(UnreadableDocument other) {
        return place.line() != other.place.line()
                ? place.line() > other.place.line()
                : place.column() > other.place.column();
    }

    void addTo(Errors errors) {
        errors.add(place, String.valueOf(getMessage()));
    }
}
