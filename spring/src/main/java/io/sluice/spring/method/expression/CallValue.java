package io.sluice.spring.method.expression;

import org.jspecify.annotations.Nullable;

/** A value that can be read from a call. Thread-safe. */
@FunctionalInterface
public interface CallValue {

    /** Returns the value, or null if there is none or if an object on the path to it is null. */
    @Nullable
    Object of(Call call);
}
