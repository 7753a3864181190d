/** Lookup tables by text, address block, wildcard and path. The cost of a lookup does not grow with their size. */
@NullMarked
package io.sluice.rules.internal.table;

import org.jspecify.annotations.NullMarked;
