/** A process as a member of a fleet: it reports to a center, and receives the number of members. */
@NullMarked
package io.sluice.runtime.fleet;

import org.jspecify.annotations.NullMarked;
