package io.sluice.center.command;

/**
 * The author of a command. The author is derived from the credential, never from the content of a request.
 *
 * @param name the name of the author, such as {@code token:admin}
 * @param identity the person behind the author. Accounts and tokens of one person have the same identity.
 * @param from the address that the request came from; empty for commands of the center itself
 */
public record Actor(String name, String identity, String from) {

    /** The center itself. */
    public static final Actor CENTER = new Actor("center");

    /** A caller without a proved identity. */
    public static final Actor NOBODY = new Actor("nobody");

    private static final int LONGEST = 200;

    public Actor {
        if (name.isEmpty() || name.length() > LONGEST || identity.isEmpty() || identity.length() > LONGEST) {
            throw new IllegalArgumentException("actor: empty or too long (expected: 1.." + LONGEST + " characters)");
        }
        from = from.substring(0, Math.min(LONGEST, from.length()));
    }

    public Actor(String name, String identity) {
        this(name, identity, "");
    }

    /** Creates an actor whose name is its identity. */
    public Actor(String name) {
        this(name, name);
    }

    /** Returns the same author with an address. */
    public Actor at(String address) {
        return new Actor(name, identity, address);
    }

    @Override
    public String toString() {
        return name;
    }
}
