package io.sluice.center.command;

/**
 * The author of a command. It is derived from the credential, never from what a request says.
 *
 * @param name such as {@code token:admin}
 */
public record Actor(String name) {

    /** The center itself. */
    public static final Actor CENTER = new Actor("center");

    public Actor {
        if (name.isEmpty() || name.length() > 200) {
            throw new IllegalArgumentException("actor: " + name.length() + " characters (expected: 1..200)");
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
