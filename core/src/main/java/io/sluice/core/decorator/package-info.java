/**
 * Engines that wrap other engines, for example to always answer in time, or to keep a process from asking for more than it can
 * get.
 */
@NullMarked
package io.sluice.core.decorator;

import org.jspecify.annotations.NullMarked;
