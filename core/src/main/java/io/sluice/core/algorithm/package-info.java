/** The integer arithmetic of each limit. It uses no clock, no lock and no I/O; time is a parameter in microseconds. */
@NullMarked
package io.sluice.core.algorithm;

import org.jspecify.annotations.NullMarked;
