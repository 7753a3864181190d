package io.sluice.center.access;

import java.util.Optional;

/**
 * A row of the table of all endpoints. Immutable.
 *
 * @param method such as {@code GET}
 * @param path such as {@code /api/changes/{id}}
 * @param right what it needs; empty if everybody who is signed in may call it, or everybody at all
 * @param isOpen whether it needs no credential
 * @param isFresh whether it needs a factor that was presented a short time ago, so that no token can call it
 * @param isFreshForPeople whether a person needs such a factor; a token with the right needs none
 * @param isPersonal whether only a person can call it
 * @param isEverywhere whether the right must be one over all rules
 * @param maxBody the size of the longest body in bytes
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

    /** Enough for what people and their programs type. */
    static final int SMALL = 64 * 1024;

    /** Creates an endpoint that needs a right over some rules. What it shows and changes is limited to these rules. */
    public static Endpoint of(String method, String path, Right right) {
        return new Endpoint(method, path, Optional.of(right), false, false, false, false, false, SMALL);
    }

    /** Creates an endpoint that everybody may call. */
    public static Endpoint open(String method, String path) {
        return new Endpoint(method, path, Optional.empty(), true, false, false, false, false, SMALL);
    }

    /** Creates an endpoint that every signed-in person may call for herself. */
    public static Endpoint own(String method, String path) {
        return new Endpoint(method, path, Optional.empty(), false, false, false, true, false, SMALL);
    }

    /** Returns the same endpoint, which also needs a fresh factor. */
    public Endpoint fresh() {
        return new Endpoint(method, path, right, isOpen, true, false, true, isEverywhere, maxBody);
    }

    /** Returns the same endpoint, which needs a fresh factor of a person; a token with the right may call it too. */
    public Endpoint freshForPeople() {
        return new Endpoint(method, path, right, isOpen, isFresh, true, isPersonal, isEverywhere, maxBody);
    }

    /** Returns whether somebody needs a factor that was presented a short time ago. */
    public boolean needsFresh(Access access) {
        return isFresh || (isFreshForPeople && access.isPerson());
    }

    /** Returns the same endpoint, whose right must be one over all rules. */
    public Endpoint everywhere() {
        return new Endpoint(method, path, right, isOpen, isFresh, isFreshForPeople, isPersonal, true, maxBody);
    }

    /** Returns the same endpoint, which takes longer bodies. */
    public Endpoint upTo(int bytes) {
        return new Endpoint(method, path, right, isOpen, isFresh, isFreshForPeople, isPersonal, isEverywhere, bytes);
    }

    /** Returns whether somebody may call it, apart from the freshness of factors. */
    public boolean permits(Access access) {
        return (!isPersonal || access.isPerson())
                && right.map(needed -> isEverywhere ? access.mayEverywhere(needed) : access.may(needed))
                        .orElse(true);
    }
}
