/** Detects the capabilities of the terminal that the program runs in. */
@NullMarked
package io.sluice.cli.terminal;

import org.jspecify.annotations.NullMarked;
