/** Runs the requests of logs through rules on a clock that follows the log, and counts what the rules do. */
@NullMarked
package io.sluice.replay.run;

import org.jspecify.annotations.NullMarked;
