package io.sluice.rules.pattern;

/**
 * The one form in which paths are compared and counted, the same at every front door. Immutable.
 *
 * <p>Percent-encoding that means nothing is undone once, path parameters ({@code ;a=b}), empty segments, {@code .} segments and
 * the slash at the end are left out, a query, a fragment and {@code http://host} before the path are cut off. What servers read
 * differently is refused, since the limiter cannot know which of the routes will be served: encoded slashes and percent signs,
 * backslashes, control characters, broken UTF-8, and unless {@link #resolve} says otherwise {@code ..} segments and a
 * {@code //} at the start. {@code docs/paths.md} has the whole table.
 *
 * <p>A normalised path is its own normal form.
 *
 * @param ignoreCase for servers that do: paths are compared in small letters, and patterns have to be written so
 * @param resolve for servers that do (Tomcat, nginx): {@code //} at the start is {@code /}, and {@code ..} is gone
 *     through. Where the server does not (Node, Fastify, Express), {@code /public/../x} is served by {@code /public}
 *     and would be limited as {@code /x}
 * @param encodedSlash for servers that take {@code %2F} as part of a name (Node): it is, and stays {@code %2F}
 */
public record PathForm(boolean ignoreCase, boolean resolve, boolean encodedSlash) {

    /** Safe whatever serves the path: case counts, and what is not tidy is refused. */
    public static final PathForm STRICT = new PathForm(false, false, false);

    public PathForm ignoringCase() {
        return new PathForm(true, resolve, encodedSlash);
    }

    public PathForm resolving() {
        return new PathForm(ignoreCase, true, encodedSlash);
    }

    public PathForm keepingEncodedSlash() {
        return new PathForm(ignoreCase, resolve, true);
    }

    /** The normal form; the same object if it is that already. Takes time in proportion to the length. */
    public String normal(String path) {
        return NormalPath.is(path, this) ? path : new PathNormaliser(path, this).normal();
    }

    /**
     * The normal form of a request target as it came over the wire, where only ASCII may stand. Servers hand out other bytes as
     * Latin-1, and {@code é} as the two characters of its UTF-8 would pass for another path than {@code %C3%A9}.
     */
    public String normalOfTarget(String target) {
        for (int i = 0; i < target.length(); i++) {
            if (target.charAt(i) > 0x7f) {
                throw new PathRefusedException(target, "characters other than ASCII to be percent-encoded");
            }
        }
        return normal(target);
    }
}
