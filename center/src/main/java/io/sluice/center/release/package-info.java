/** Releasing versions to the nodes, and completing what was interrupted. */
@NullMarked
package io.sluice.center.release;

import org.jspecify.annotations.NullMarked;
