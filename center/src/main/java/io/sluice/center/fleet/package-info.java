/** The nodes that report to the center. */
@NullMarked
package io.sluice.center.fleet;

import org.jspecify.annotations.NullMarked;
