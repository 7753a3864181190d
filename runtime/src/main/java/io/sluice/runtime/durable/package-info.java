/** Quotas that survive the loss of the shared store: what was charged, its journal, and the way back into an empty store. */
@NullMarked
package io.sluice.runtime.durable;

import org.jspecify.annotations.NullMarked;
