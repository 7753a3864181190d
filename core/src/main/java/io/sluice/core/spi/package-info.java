/** The types that an engine implements, and the guarantees for its callers. */
@NullMarked
package io.sluice.core.spi;

import org.jspecify.annotations.NullMarked;
