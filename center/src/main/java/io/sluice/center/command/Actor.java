package io.sluice.center.command;

/**
 * The author of a command. It is derived from the credential, never from what a request says.
 *
 * @param name such as {@code token:admin}
 * @param identity the person behind it. Accounts and tokens of one person have the same identity
 * @param from the address that the request came from; empty for what the center does itself
 */
public record Actor(String name, String identity, String from) {

    /** The center itself. */
    public static final Actor CENTER = new Actor("center");

    /** Somebody who did not prove who they are. */
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

    /** Creates an actor that is nobody else. */
    public Actor(String name) {
        this(name, name);
    }

    /** Returns the same author at an address. */
    public Actor at(String address) {
        return new Actor(name, identity, address);
    }

    @Override
    public String toString() {
        return name;
    }
}
