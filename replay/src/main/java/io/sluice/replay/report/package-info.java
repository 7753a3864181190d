/** Writes the result of a replay for programs and for people. */
@NullMarked
package io.sluice.replay.report;

import org.jspecify.annotations.NullMarked;
