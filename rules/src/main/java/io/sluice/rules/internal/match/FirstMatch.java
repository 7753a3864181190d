package io.sluice.rules.internal.match;

import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Finds the first of several items whose conditions hold, such as the overrides of a limit. Immutable; costs as much as {@link
 * ScopeIndex}.
 */
public final class FirstMatch<T> {

    private final List<T> items;
    private final ScopeIndex index;

    public FirstMatch(List<T> items, Function<? super T, Map<String, Condition>> when) {
        this.items = List.copyOf(items);
        this.index = new ScopeIndex(items.stream()
                .map(item -> new Scope(null, null, Set.of(), when.apply(item)))
                .toList());
    }

    /** Returns the first item, in the given order, whose conditions all hold and that is still valid. */
    public Optional<T> first(Attributes request, Predicate<? super T> stillValid) {
        OptionalInt first = index.first(request, position -> stillValid.test(items.get(position)));
        return first.isPresent() ? Optional.of(items.get(first.getAsInt())) : Optional.empty();
    }
}
