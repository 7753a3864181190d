/** The arithmetic of each limit: integers in, integers out. No clock, no lock, no I/O; time is a parameter in microseconds. */
@NullMarked
package io.sluice.core.algorithm;

import org.jspecify.annotations.NullMarked;
