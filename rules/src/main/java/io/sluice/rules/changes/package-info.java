/** Describes the differences between two rule sets in sentences. */
@NullMarked
package io.sluice.rules.changes;

import org.jspecify.annotations.NullMarked;
