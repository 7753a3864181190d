package io.sluice.center.refusal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Thrown if the center refuses a command or question. The message and the details contain everything that the caller needs to know. */
public final class RefusedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** The reason of a refusal. */
    public enum Why {
        /** The request itself is wrong. */
        INVALID,
        /** The content does not pass the checks. */
        UNPROCESSABLE,
        /** The named thing does not exist. */
        MISSING,
        /** The state changed, or does not allow it. */
        CONFLICT,
        /** The caller does not have the right. */
        FORBIDDEN,
        /** The caller has to prove their identity again. */
        NOT_FRESH
    }

    private final Why why;
    private final transient Map<String, Object> details;

    private RefusedException(Why why, String message, Map<String, Object> details) {
        super(message);
        this.why = why;
        this.details = new LinkedHashMap<>(details);
    }

    public static RefusedException invalid(String message) {
        return new RefusedException(Why.INVALID, message, Map.of());
    }

    /** Creates a refusal with all errors of the content. */
    public static RefusedException unprocessable(String message, List<?> errors) {
        return new RefusedException(Why.UNPROCESSABLE, message, Map.of("errors", errors));
    }

    public static RefusedException missing(String message) {
        return new RefusedException(Why.MISSING, message, Map.of());
    }

    public static RefusedException conflict(String message) {
        return new RefusedException(Why.CONFLICT, message, Map.of());
    }

    public static RefusedException conflict(String message, Map<String, Object> details) {
        return new RefusedException(Why.CONFLICT, message, details);
    }

    public static RefusedException forbidden(String message) {
        return new RefusedException(Why.FORBIDDEN, message, Map.of());
    }

    public static RefusedException forbidden(String message, Map<String, Object> details) {
        return new RefusedException(Why.FORBIDDEN, message, details);
    }

    public static RefusedException notFresh(String message) {
        return new RefusedException(Why.NOT_FRESH, message, Map.of());
    }

    public Why why() {
        return why;
    }

    /** Returns further fields of the answer. */
    public Map<String, Object> details() {
        return details;
    }
}
