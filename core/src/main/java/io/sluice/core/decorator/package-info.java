/** Engines around other engines: one that always answers in time, and one that keeps a process from asking for more than it can get. */
@NullMarked
package io.sluice.core.decorator;

import org.jspecify.annotations.NullMarked;
