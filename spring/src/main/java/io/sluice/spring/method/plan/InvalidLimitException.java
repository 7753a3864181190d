package io.sluice.spring.method.plan;

/**
 * Thrown at startup for an annotation that cannot be applied. The message names the annotation, its place and the invalid
 * attribute.
 */
public final class InvalidLimitException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String where;
    private final String what;

    /**
     * Creates the exception.
     *
     * @param where the annotation, class and method
     * @param what the error in the form {@code attribute: value (expected: …)}
     */
    public InvalidLimitException(String where, String what) {
        super(where + ": " + what);
        this.where = where;
        this.what = what;
    }

    /** Returns the annotation, class and method. */
    public String where() {
        return where;
    }

    /** Returns the error in the form {@code attribute: value (expected: …)}. */
    public String what() {
        return what;
    }
}
