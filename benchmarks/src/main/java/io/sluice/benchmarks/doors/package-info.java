/** How much a node's front doors serve, next to servers that do nothing. */
@NullMarked
package io.sluice.benchmarks.doors;

import org.jspecify.annotations.NullMarked;
