/** Quotas that survive the loss of the shared store: the charges, their journal, and their restoration into an empty store. */
@NullMarked
package io.sluice.runtime.durable;

import org.jspecify.annotations.NullMarked;
