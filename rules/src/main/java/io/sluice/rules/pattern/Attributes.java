package io.sluice.rules.pattern;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a request, as text. Immutable.
 *
 * <p>Created once per request at the front end. This class converts all values to their canonical form: header names in lower case, the
 * address, the path, the host. Code that matches or counts later only compares text.
 *
 * <p>Servers may read a path in several ways ({@link PathForm#otherReadings}). The attribute {@code path} is the normal form, by which
 * requests are counted. A rule that restricts a request applies if it matches in {@linkplain #inAnyReading any} reading; a rule that frees
 * a request applies only if it matches in {@linkplain #inEveryReading every} reading.
 */
public final class Attributes {

    /**
     * The empty last segment of a path that ends with a slash, as servers such as Fastify read it: {@code /users/} is then {@code
     * /users/{id}}. It is a blank, because no normal path contains a blank.
     */
    public static final String EMPTY_SEGMENT = " ";

    private static final String HEADER = "header.";
    private static final String IP = "ip";
    private static final String PATH = "path";
    private static final String ROOT = "/" + EMPTY_SEGMENT;

    private final Map<String, String> values;
    private final @Nullable Address address;
    private final Origin origin;

    /** The same request in the other readings of its path. */
    private final List<Attributes> others;

    private Attributes(Map<String, String> values, @Nullable Address address, Origin origin, List<Attributes> others) {
        this.values = values;
        this.address = address;
        this.origin = origin;
        this.others = others;
    }

    /** Creates attributes with the path in its {@linkplain PathForm#STRICT strict} form. */
    public static Attributes of(Map<String, String> given) {
        return of(given, PathForm.STRICT);
    }

    /**
     * Creates attributes. Refuses header names that differ only in case, because one of them would escape its limit. Refuses a
     * path without a normal form with a {@link PathRefusedException}, because it would match no rule.
     */
    public static Attributes of(Map<String, String> given, PathForm form) {
        Map<String, String> values = new HashMap<>(given.size() * 2);
        given.forEach((name, value) -> {
            if (values.put(normalisedName(name), normalised(name, value, form)) != null) {
                throw new IllegalArgumentException("attributes: " + normalisedName(name)
                        + " is given twice (expected: names that differ in more than case)");
            }
        });
        return of(values, given.get(PATH), form);
    }

    /** @param sent the path before it was normalised */
    private static Attributes of(Map<String, String> values, @Nullable String sent, PathForm form) {
        String ip = values.get(IP);
        Address address = ip == null ? null : HopAddress.read(ip);
        if (ip != null) {
            values.put(IP, address == null ? Address.UNKNOWN : address.toString());
        }
        return new Attributes(values, address, Origin.UNKNOWN, others(values, address, sent, form));
    }

    private static List<Attributes> others(
            Map<String, String> values, @Nullable Address address, @Nullable String sent, PathForm form) {
        if (sent == null || (sent.equals(values.get(PATH)) && !sent.equals("/"))) {
            return List.of();
        }
        List<String> paths = form.otherReadings(sent);
        List<Attributes> others = new ArrayList<>(paths.size());
        for (String path : paths) {
            Map<String, String> own = new HashMap<>(values);
            own.put(PATH, path);
            others.add(new Attributes(own, address, Origin.UNKNOWN, List.of()));
        }
        return Collections.unmodifiableList(others);
    }

    /**
     * Creates attributes with the path in its strict form from a map that the caller no longer uses. This avoids the copy if no name has to
     * change, as in most requests.
     *
     * @param own a map that can be changed
     */
    public static Attributes taking(Map<String, String> own) {
        for (String name : own.keySet()) {
            if (name.startsWith(HEADER)) {
                return of(own);
            }
        }
        String sent = own.get(PATH);
        own.replaceAll((name, value) -> normalised(name, value, PathForm.STRICT));
        return of(own, sent, PathForm.STRICT);
    }

    /** Returns the same attributes of a request with this origin. */
    public Attributes from(Origin origin) {
        return origin.equals(this.origin) ? this : new Attributes(values, address, origin, others);
    }

    /** Returns only the attributes with these names, of the same request. */
    public Attributes only(Set<String> names) {
        Map<String, String> some = new HashMap<>(values);
        some.keySet().retainAll(names);
        List<Attributes> same = others.isEmpty() || !names.contains(PATH)
                ? List.of()
                : others.stream().map(other -> other.only(names)).toList();
        return new Attributes(some, some.containsKey(IP) ? address : null, origin, same);
    }

    /** Returns the same request in each of the other ways in which a server may read its path. Most requests have no other reading. */
    public List<Attributes> otherReadings() {
        return others;
    }

    /** Returns whether the test holds in some reading of the path. Use it for rules that restrict a request. */
    public boolean inAnyReading(Predicate<? super Attributes> test) {
        return test.test(this) || others.stream().anyMatch(test);
    }

    /**
     * Returns whether the test holds in every reading of the path. Use it for rules that free a request. A slash at the end makes no
     * difference here, because patterns are written without it.
     */
    public boolean inEveryReading(Predicate<? super Attributes> test) {
        return test.test(this) && others.stream().allMatch(each -> each.endsWithSlash() || test.test(each));
    }

    /** Returns whether this is the reading of a path with a slash at the end as an empty last segment. */
    public boolean endsWithSlash() {
        String path = values.get(PATH);
        return path != null && path.endsWith(EMPTY_SEGMENT);
    }

    /** Returns whether this reading has an empty last segment that another spelling of the path does not have. */
    public boolean isEmptyName() {
        return endsWithSlash() && !ROOT.equals(values.get(PATH));
    }

    /** Returns the request's id and trace in other systems. No rule can match them. */
    public Origin origin() {
        return origin;
    }

    /** Returns the canonical name of an attribute: header names in lower case, all others unchanged. */
    public static String normalisedName(String name) {
        return name.startsWith(HEADER) ? name.toLowerCase(Locale.ROOT) : name;
    }

    public @Nullable String get(String name) {
        return values.get(name);
    }

    /** Returns the canonical names of all attributes. */
    public Set<String> names() {
        return Collections.unmodifiableSet(values.keySet());
    }

    /** Returns the number of attributes. */
    public int size() {
        return values.size();
    }

    /**
     * Returns the address in {@code ip}, or null if there is none. In that case {@code ip} is missing, or is {@link Address#UNKNOWN} in
     * place of the text that was sent. Text that is not an address must not distinguish callers, because a caller could send a different
     * text each time.
     */
    public @Nullable Address address() {
        return address;
    }

    private static String normalised(String name, String value, PathForm form) {
        if (name.equals(PATH)) {
            return form.normal(value);
        }
        return HostText.ATTRIBUTE.equalsIgnoreCase(name) ? HostText.normal(value) : value;
    }
}
