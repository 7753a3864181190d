package io.sluice.runtime.durable;

import org.jspecify.annotations.Nullable;

/** The store that this process may charge: the process has seen its mark, and the store has all charges of earlier stores. */
interface StoreMark {

    /** The reason of degraded decisions about durable limits while the store lacks charges of earlier stores. */
    String NOT_RESTORED = "not-restored";

    /** Returns the mark of the store; null while it is unknown, or while something has to be restored. */
    @Nullable
    String restored();
}
