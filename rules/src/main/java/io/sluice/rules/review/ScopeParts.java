package io.sluice.rules.review;

import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.pattern.PathRefusedException;
import io.sluice.rules.review.ScopePart.NamedText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/** The parts of a scope, for comparison with other scopes. Immutable. */
final class ScopeParts {

    private final Scope scope;
    private final List<ScopePart> parts;

    ScopeParts(Scope scope) {
        this.scope = scope;
        this.parts = ScopePart.of(scope);
    }

    Scope scope() {
        return scope;
    }

    /** Calls the consumer with every text that the scope compares an attribute with. */
    void texts(Consumer<NamedText> each) {
        parts.forEach(part -> part.texts().forEach(text -> each.accept(new NamedText(part.attribute(), text))));
    }

    /** Returns the number of attributes that the scope restricts. */
    int size() {
        return parts.size();
    }

    /**
     * Returns whether every request in the other scope is provably in this scope: each requirement of this scope follows from
     * the requirements of the other scope. If false, all requests may still be in this scope.
     */
    boolean covers(ScopeParts other) {
        for (ScopePart part : parts) {
            if (other.parts.stream().noneMatch(part::covers)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns a request in this scope that has only attributes which the scope restricts. A scope that covers this scope
     * matches it. Returns empty if there is none.
     *
     * @param uses the number of scopes that name a text, see {@link ScopePart#example}
     */
    Optional<Attributes> example(ToIntFunction<NamedText> uses) {
        Map<String, String> example = new HashMap<>();
        parts.forEach(part -> example.putIfAbsent(part.attribute(), part.example(uses)));
        try {
            return Optional.of(Attributes.of(example, PathPattern.NORMAL)).filter(scope::matches);
        } catch (PathRefusedException e) {
            return Optional.empty();
        }
    }
}
