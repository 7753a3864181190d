/** The program behind {@code ./sluice}. */
@NullMarked
package io.sluice.cli;

import org.jspecify.annotations.NullMarked;
