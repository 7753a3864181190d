/** Releases of versions to the nodes, and the completion of interrupted releases. */
@NullMarked
package io.sluice.center.release;

import org.jspecify.annotations.NullMarked;
