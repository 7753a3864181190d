/** Look-up tables by text, address block, wildcard and path, whose cost does not grow with their size. */
@NullMarked
package io.sluice.rules.internal.table;

import org.jspecify.annotations.NullMarked;
