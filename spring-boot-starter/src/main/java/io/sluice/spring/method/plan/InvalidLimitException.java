package io.sluice.spring.method.plan;

/** An annotation that cannot be applied: found at start, where it stands and which attribute it is. */
public final class InvalidLimitException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String where;
    private final String what;

    /**
     * A mistake.
     *
     * @param where the annotation, class and method
     * @param what in the form {@code attribute: value (expected: what would do)}
     */
    public InvalidLimitException(String where, String what) {
        super(where + ": " + what);
        this.where = where;
        this.what = what;
    }

    /** The annotation, class and method. */
    public String where() {
        return where;
    }

    /** In the form {@code attribute: value (expected: what would do)}. */
    public String what() {
        return what;
    }
}
