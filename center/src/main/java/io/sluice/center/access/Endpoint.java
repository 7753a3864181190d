package io.sluice.center.access;

import java.util.Optional;

/**
 * A row of the table of all endpoints. Immutable.
 *
 * @param method such as {@code GET}
 * @param path such as {@code /api/changes/{id}}
 * @param right the right that the endpoint needs; empty if any signed-in caller may call it, or any caller at all
 * @param isOpen whether the endpoint needs no credential
 * @param isFresh whether the endpoint needs a recently presented factor, so that no token can call it
 * @param isFreshForPeople whether a person needs such a factor; a token with the right needs none
 * @param isPersonal whether only a person can call the endpoint
 * @param isEverywhere whether the right must cover all rules
 * @param maxBody the maximum size of a body in bytes
 */
public record Endpoint(
        String method,
        String path,
        Optional<Right> right,
        boolean isOpen,
        boolean isFresh,
        boolean isFreshForPeople,
        boolean isPersonal,
        boolean isEverywhere,
        int maxBody) {

    /** The size for input that people and their programs type. */
    static final int SMALL = 64 * 1024;

    /** Creates an endpoint that needs a right over some rules. The data that it returns and changes is limited to these rules. */
    public static Endpoint of(String method, String path, Right right) {
        return new Endpoint(method, path, Optional.of(right), false, false, false, false, false, SMALL);
    }

    /** Creates an endpoint that any caller may call. */
    public static Endpoint open(String method, String path) {
        return new Endpoint(method, path, Optional.empty(), true, false, false, false, false, SMALL);
    }

    /** Creates an endpoint that every signed-in person may call for their own account. */
    public static Endpoint own(String method, String path) {
        return new Endpoint(method, path, Optional.empty(), false, false, false, true, false, SMALL);
    }

    /** Returns the same endpoint, with the additional requirement of a fresh factor. */
    public Endpoint fresh() {
        return new Endpoint(method, path, right, isOpen, true, false, true, isEverywhere, maxBody);
    }

    /** Returns the same endpoint, with the requirement of a fresh factor for people. A token with the right may also call it. */
    public Endpoint freshForPeople() {
        return new Endpoint(method, path, right, isOpen, isFresh, true, isPersonal, isEverywhere, maxBody);
    }

    /** Returns whether a caller needs a recently presented factor. */
    public boolean needsFresh(Access access) {
        return isFresh || (isFreshForPeople && access.isPerson());
    }

    /** Returns the same endpoint, with the requirement of a right over all rules. */
    public Endpoint everywhere() {
        return new Endpoint(method, path, right, isOpen, isFresh, isFreshForPeople, isPersonal, true, maxBody);
    }

    /** Returns the same endpoint with another maximum size of a body. */
    public Endpoint upTo(int bytes) {
        return new Endpoint(method, path, right, isOpen, isFresh, isFreshForPeople, isPersonal, isEverywhere, bytes);
    }

    /** Returns whether a caller may call the endpoint, apart from the freshness of factors. */
    public boolean permits(Access access) {
        return (!isPersonal || access.isPerson())
                && right.map(needed -> isEverywhere ? access.mayEverywhere(needed) : access.may(needed))
                        .orElse(true);
    }
}
