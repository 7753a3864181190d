/** Starts the processes of a comparison as a user would, and reads what the system says about them. */
@NullMarked
package io.sluice.benchmarks.processes;

import org.jspecify.annotations.NullMarked;
