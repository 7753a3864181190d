/** A process that decides and takes part in a fleet: its engines, its reports, and the order in which they start and stop. */
@NullMarked
package io.sluice.runtime.participant;

import org.jspecify.annotations.NullMarked;
