/** What an engine implements, and what its callers may rely on. */
@NullMarked
package io.sluice.core.spi;

import org.jspecify.annotations.NullMarked;
