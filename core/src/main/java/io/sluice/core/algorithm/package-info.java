/**
 * The arithmetic of each limit: integers in, integers out. It uses no clock, no lock and no I/O; time is a parameter in
 * microseconds.
 */
@NullMarked
package io.sluice.core.algorithm;

import org.jspecify.annotations.NullMarked;
