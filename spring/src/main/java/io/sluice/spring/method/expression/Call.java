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
    private final @Nullable Object result;

    /** @param finder the finder of the request; called at most once, and only if the request is needed */
    public Call(@Nullable Object[] arguments, Supplier<Optional<CurrentRequest>> finder) {
        this(arguments, finder, null);
    }

    private Call(@Nullable Object[] arguments, Supplier<Optional<CurrentRequest>> finder, @Nullable Object result) {
        this.arguments = arguments;
        this.finder = finder;
        this.result = result;
    }

    /** Returns the call after its end: with the arguments and the result, but without the request, which may have ended. */
    public Call after(@Nullable Object own) {
        return new Call(arguments, Optional::empty, own);
    }

    @Nullable
    Object result() {
        return result;
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
