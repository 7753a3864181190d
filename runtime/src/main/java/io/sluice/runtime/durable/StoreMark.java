package io.sluice.runtime.durable;

import org.jspecify.annotations.Nullable;

/** Which store this process may charge: the one whose mark it has seen, and that has everything that earlier ones were charged. */
interface StoreMark {

    /** The reason of degraded decisions about durable limits of a store that lacks what earlier ones were charged. */
    String NOT_RESTORED = "not-restored";

    /** Returns the mark of the store; null while it is unknown, or while something has to be restored. */
    @Nullable
    String restored();
}
