/** A process as a member of a fleet: it reports to a center, and learns from it how many members there are. */
@NullMarked
package io.sluice.runtime.fleet;

import org.jspecify.annotations.NullMarked;
