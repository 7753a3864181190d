package io.sluice.center.http;

/** The attributes of a request that tell who sent it. They come from its credential. */
public final class CurrentAccess {

    /** Holds an {@link io.sluice.center.access.Access}. */
    public static final String ACCESS = "io.sluice.center.access";

    /** Holds the {@link io.sluice.center.command.Actor} of that access. */
    public static final String ACTOR = "io.sluice.center.actor";

    /** Holds whether one of the factors was presented a short time ago. Tokens have no factors. */
    public static final String FRESH = "io.sluice.center.fresh";

    /**
     * Holds a {@code Supplier<Optional<Access>>} that looks the credential up again, for requests that take long. It is empty once
     * the credential was revoked.
     */
    public static final String AGAIN = "io.sluice.center.access.again";

    /** Holds the bytes of the body. They are read once it is decided that the caller may send them. */
    public static final String BODY = "io.sluice.center.body";

    private CurrentAccess() {}
}
