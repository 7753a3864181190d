/** The engines that count the limits of one process: the process itself and the stores that it shares with other processes. */
@NullMarked
package io.sluice.rules.side;

import org.jspecify.annotations.NullMarked;
