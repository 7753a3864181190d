/** The only place that reads the system clock, and the clock that tests move by hand. */
@NullMarked
package io.sluice.core.time;

import org.jspecify.annotations.NullMarked;
