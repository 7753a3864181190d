package io.sluice.rules.internal.index;

import io.sluice.rules.Attributes;
import io.sluice.rules.Condition;
import io.sluice.rules.Scope;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** Things with conditions, of which the first that holds counts: the overrides of a limit. Immutable; costs as {@link ScopeIndex}. */
public final class FirstMatch<T> {

    private final ScopeIndex<T> index;

    public FirstMatch(List<T> items, Function<? super T, Map<String, Condition>> when) {
        this.index = new ScopeIndex<>(items, item -> new Scope(null, null, Set.of(), when.apply(item)));
    }

    /** The first in the order given whose conditions all hold and that is still valid. */
    public Optional<T> first(Attributes request, Predicate<? super T> stillValid) {
        return index.first(request, stillValid);
    }
}
