/** The only package that reads the system clock, and a clock that tests move by hand. */
@NullMarked
package io.sluice.core.time;

import org.jspecify.annotations.NullMarked;
