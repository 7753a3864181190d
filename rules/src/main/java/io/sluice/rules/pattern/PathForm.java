package io.sluice.rules.pattern;

/**
 * The canonical form in which paths are compared and counted, the same at every front end. Immutable.
 *
 * <p>Unnecessary percent-encoding is decoded once. Path parameters ({@code ;a=b}), empty segments, {@code .} segments and a slash
 * at the end are dropped. A query, a fragment and {@code http://host} before the path are cut off. Anything that servers
 * interpret differently is refused, because the limiter cannot know which route will be served: encoded slashes and percent
 * signs, backslashes, control characters, broken UTF-8, and, unless {@link #resolve} is set, {@code ..} segments and {@code //}
 * at the start. {@code docs/paths.md} has the whole table.
 *
 * <p>A normalised path is its own normal form.
 *
 * @param ignoreCase for servers that ignore case: paths are compared in lower case, and patterns must be written in lower case
 * @param resolve for servers that resolve paths (Tomcat, nginx): {@code //} at the start is {@code /}, and {@code ..} is
 *     resolved. Do not set it for servers that do not (Node, Fastify, Express): they serve {@code /public/../x} from {@code
 *     /public}, but it would be limited as {@code /x}
 * @param encodedSlash for servers that treat {@code %2F} as part of a name (Node): it is accepted and stays {@code %2F}
 */
public record PathForm(boolean ignoreCase, boolean resolve, boolean encodedSlash) {

    /** Safe for any server: case matters, and untidy paths are refused. */
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

    /** Returns the normal form; the same object if the path is already normal. Takes time proportional to the length. */
    public String normal(String path) {
        return NormalPath.is(path, this) ? path : new PathNormaliser(path, this).normal();
    }

    /**
     * Returns the normal form of a request target as it came over the wire, where only ASCII is allowed. Servers decode other
     * bytes as Latin-1. Then {@code é}, as the two characters of its UTF-8, would be a different path than {@code %C3%A9}.
     */
    public String normalOfTarget(String target) {
        for (int i = 0; i < target.length(); i++) {
            if (target.charAt(i) > 0x7f) {
                throw new PathRefusedException(target, "percent-encoding of characters other than ASCII");
            }
        }
        return normal(target);
    }
}
