package io.sluice.spring.method.expression;

import org.jspecify.annotations.Nullable;

/** What can be read off a call. Safe for use by many threads. */
@FunctionalInterface
public interface CallValue {

    /** The value; null if there is none, or something on the way to it is missing. */
    @Nullable
    Object of(Call call);
}
