package io.sluice.spring.method.expression;

import io.sluice.spring.CurrentRequest;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One call of a limited method. Not thread-safe. */
public final class Call {

    private final @Nullable Object[] arguments;
    private final Supplier<Optional<CurrentRequest>> finder;
    private @Nullable CurrentRequest found;
    private boolean looked;

    /** @param finder finds the request; called at most once, and only if the request is needed */
    public Call(@Nullable Object[] arguments, Supplier<Optional<CurrentRequest>> finder) {
        this.arguments = arguments;
        this.finder = finder;
    }

    @Nullable
    Object argument(int position) {
        return arguments[position];
    }

    @Nullable
    public CurrentRequest request() {
        if (!looked) {
            found = finder.get().orElse(null);
            looked = true;
        }
        return found;
    }
}
