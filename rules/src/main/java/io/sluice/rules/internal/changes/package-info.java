/** How two rule sets are compared, in words. */
@NullMarked
package io.sluice.rules.internal.changes;

import org.jspecify.annotations.NullMarked;
