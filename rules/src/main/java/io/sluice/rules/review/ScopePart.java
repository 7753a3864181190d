package io.sluice.rules.review;

import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Glob;
import io.sluice.rules.pattern.Network;
import io.sluice.rules.pattern.PathPattern;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The requirement of a scope on one attribute: a path pattern, or one of several texts, globs and networks. Immutable.
 *
 * @param holds tests whether a text satisfies it; addresses are compared by network instead
 */
record ScopePart(
        String attribute,
        @Nullable PathPattern pattern,
        Set<String> texts,
        Set<Glob> globs,
        Set<Network> networks,
        Predicate<String> holds) {

    /** The maximum number of pairs of globs that are compared. With more pairs, only equal globs are found. */
    private static final long MOST_PAIRS = 10_000;

    /** The maximum number of texts from which an example is chosen. */
    private static final int MOST_EXAMPLES = 16;

    /** A text that an attribute is compared with. */
    record NamedText(String attribute, String text) {}

    static List<ScopePart> of(Scope scope) {
        List<ScopePart> parts = new ArrayList<>(of(scope.match()));
        String service = scope.service();
        if (service != null) {
            parts.add(ofTexts("service", Set.of(service)));
        }
        PathPattern resource = scope.resource();
        if (resource != null) {
            parts.add(new ScopePart("path", resource, Set.of(), Set.of(), Set.of(), resource::matches));
        }
        if (!scope.methods().isEmpty()) {
            parts.add(ofTexts("method", Scope.meant(scope.methods())));
        }
        return parts;
    }

    private static List<ScopePart> of(Map<String, Condition> match) {
        return match.values().stream()
                .map(condition -> new ScopePart(
                        condition.attribute(),
                        null,
                        condition.meant(),
                        condition.globs(),
                        condition.networks(),
                        condition::matches))
                .toList();
    }

    private static ScopePart ofTexts(String attribute, Set<String> texts) {
        return new ScopePart(attribute, null, texts, Set.of(), Set.of(), texts::contains);
    }

    /** Returns whether every value that satisfies the other part provably satisfies this part. */
    boolean covers(ScopePart other) {
        if (!attribute.equals(other.attribute)) {
            return false;
        }
        if (other.pattern != null) {
            return covers(other.pattern);
        }
        return other.texts.stream().allMatch(holds)
                && other.networks.stream().allMatch(this::covers)
                && coversGlobs(other.globs);
    }

    /**
     * Returns a value that satisfies this part.
     *
     * @param uses the number of scopes that name a text of this attribute; with a smaller number, the example finds fewer
     *     scopes
     */
    String example(ToIntFunction<NamedText> uses) {
        if (pattern != null) {
            return PathCover.example(pattern);
        }
        if (!texts.isEmpty()) {
            return Collections.min(
                    texts.stream().limit(MOST_EXAMPLES).toList(),
                    Comparator.comparingInt(text -> uses.applyAsInt(new NamedText(attribute, text))));
        }
        return globs.isEmpty()
                ? Address.of(networks.iterator().next().address()).toString()
                : example(globs.iterator().next());
    }

    /** Returns an example of a glob. Paths start with a slash, for which a star may stand. */
    private String example(Glob glob) {
        String example = glob.example();
        return attribute.equals("path") && !example.startsWith("/") ? "/" + example : example;
    }

    private boolean covers(PathPattern other) {
        return pattern != null
                ? PathCover.covers(pattern, other)
                : PathCover.only(other).filter(holds).isPresent()
                        || globs.stream().anyMatch(glob -> PathCover.covers(glob, other));
    }

    /** Returns whether a network of this part contains the other network: the same network, or one with a shorter prefix. */
    private boolean covers(Network other) {
        Address first = Address.of(other.address());
        for (int length = other.prefixLength(); length >= 0; length--) {
            if (networks.contains(Network.of(first, length))) {
                return true;
            }
        }
        return false;
    }

    private boolean coversGlobs(Set<Glob> others) {
        if (pattern != null) {
            return others.stream().allMatch(other -> PathCover.covers(pattern, other));
        }
        boolean few = (long) globs.size() * others.size() <= MOST_PAIRS;
        return others.stream()
                .allMatch(other ->
                        globs.contains(other) || (few && globs.stream().anyMatch(glob -> covers(glob, other))));
    }

    /**
     * Returns whether one glob covers another. A glob with one star covers every glob with the same start and end. Other globs
     * are not compared.
     */
    private static boolean covers(Glob wide, Glob narrow) {
        return wide.isOneStar()
                && narrow.prefix().startsWith(wide.prefix())
                && narrow.suffix().endsWith(wide.suffix());
    }
}
