/** Lines of the log of the process: fit for one line, and one for the start and one for the end of each problem. */
@NullMarked
package io.sluice.center.log;

import org.jspecify.annotations.NullMarked;
