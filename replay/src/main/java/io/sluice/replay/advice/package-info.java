/** Finds the numbers that limits need for the traffic of a log, and writes them as a rule document. */
@NullMarked
package io.sluice.replay.advice;

import org.jspecify.annotations.NullMarked;
