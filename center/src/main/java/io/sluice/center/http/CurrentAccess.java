package io.sluice.center.http;

/** The attributes of a request that identify its caller. They are derived from the credential. */
public final class CurrentAccess {

    /** The attribute with an {@link io.sluice.center.access.Access}. */
    public static final String ACCESS = "io.sluice.center.access";

    /** The attribute with the {@link io.sluice.center.command.Actor} of that access. */
    public static final String ACTOR = "io.sluice.center.actor";

    /** The attribute that is true if one of the factors was presented recently. Tokens have no factors. */
    public static final String FRESH = "io.sluice.center.fresh";

    /**
     * The attribute with a {@code Supplier<Optional<Access>>} that looks the credential up again, for requests that take long. It returns
     * empty after the credential was revoked.
     */
    public static final String AGAIN = "io.sluice.center.access.again";

    /** The attribute with the bytes of the body. They are read only after the caller is authorized. */
    public static final String BODY = "io.sluice.center.body";

    private CurrentAccess() {}
}
