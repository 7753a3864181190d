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

/** A scope, taken apart to compare it with others. Immutable. */
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

    /** Calls the consumer with every text that it compares an attribute with. */
    void texts(Consumer<NamedText> each) {
        parts.forEach(part -> part.texts().forEach(text -> each.accept(new NamedText(part.attribute(), text))));
    }

    /** Returns the number of attributes that it restricts. */
    int size() {
        return parts.size();
    }

    /**
     * Returns whether every request in the other scope is provably in this one: whatever this scope requires follows from what
     * the other requires. If false, it may still be so.
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
     * Returns a request in this scope that has no other attributes than those the scope is about. A scope that covers this one
     * matches it. Empty if there is none.
     *
     * @param uses see {@link ScopePart#example}
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
