package io.sluice.rules.pattern;

import java.util.List;

/**
 * The canonical form in which paths are compared and counted, the same at every front end. Immutable.
 *
 * <p>Unnecessary percent-encoding is decoded once. Path parameters ({@code ;a=b}) and one slash at the end are dropped. A query, a fragment
 * and {@code http://host} before the path are cut off. Paths that servers interpret differently are refused, because the limiter cannot
 * know which route will be served: with empty segments, segments that have parameters only, {@code .} and {@code ..} segments unless {@link
 * #resolve} is set, encoded slashes and percent signs, backslashes, control characters, and broken UTF-8. {@code
 * docs/reference/paths.md} has the whole table.
 *
 * <p>Servers may read an accepted path in more than one way: with or without its parameters, for example. {@link #otherReadings}
 * returns the other ways. A normalised path is its own normal form and has no other reading, except for the root.
 *
 * @param ignoreCase whether paths are compared in lower case, for servers that ignore case; patterns must be written in lower case
 * @param resolve whether {@code .} and {@code ..} are resolved, for servers that resolve paths (Tomcat, nginx). Do not set it for servers
 *     that do not resolve them (Node, Fastify, Express): they serve {@code /public/../x} from {@code /public}, but it would be counted as
 *     {@code /x}
 * @param encodedSlash whether {@code %2F} is accepted and stays {@code %2F}, for servers that treat it as part of a name (Node)
 * @param servlet whether parameters are dropped in every reading, for servlet containers (Tomcat, Jetty); the last segment may then have
 *     parameters only, as in {@code /app/;jsessionid=1}
 */
public record PathForm(boolean ignoreCase, boolean resolve, boolean encodedSlash, boolean servlet) {

    /** The form that is safe for any server: case matters, and untidy paths are refused. */
    public static final PathForm STRICT = new PathForm(false, false, false);

    /** Creates a form for any kind of server. */
    public PathForm(boolean ignoreCase, boolean resolve, boolean encodedSlash) {
        this(ignoreCase, resolve, encodedSlash, false);
    }

    public PathForm ignoringCase() {
        return new PathForm(true, resolve, encodedSlash, servlet);
    }

    public PathForm resolving() {
        return new PathForm(ignoreCase, true, encodedSlash, servlet);
    }

    public PathForm keepingEncodedSlash() {
        return new PathForm(ignoreCase, resolve, true, servlet);
    }

    public PathForm ofServlets() {
        return new PathForm(ignoreCase, resolve, encodedSlash, true);
    }

    /** Returns the normal form, which is the same object if the path is already normal. Takes time proportional to the length. */
    public String normal(String path) {
        return NormalPath.is(path, this) ? path : new PathNormaliser(path, this).normal();
    }

    /**
     * Returns the readings of a path beside its normal form, at most four dozen: with parameters or cut off at the first parameter, with
     * escapes as they were sent, with unresolved dots, with unchanged case of characters other than ASCII, and with an empty last segment
     * in place of a slash at the end. Most paths have no other reading. A reading with an empty last segment ends with {@link
     * Attributes#EMPTY_SEGMENT}.
     */
    public List<String> otherReadings(String path) {
        return NormalPath.is(path, this) && !path.equals("/")
                ? List.of()
                : new PathNormaliser(path, this).otherReadings();
    }

    /**
     * Returns the normal form of a request target as it came over the wire, where only ASCII is allowed. Servers decode other bytes as
     * Latin-1. So {@code é}, as the two characters of its UTF-8, would be a different path than {@code %C3%A9}.
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
