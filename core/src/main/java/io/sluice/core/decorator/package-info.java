/** Engines that wrap other engines: one always answers in time, one keeps a process from asking for more than it can get. */
@NullMarked
package io.sluice.core.decorator;

import org.jspecify.annotations.NullMarked;
