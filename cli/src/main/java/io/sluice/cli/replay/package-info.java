/** The command that runs recorded traffic through rules. */
@NullMarked
package io.sluice.cli.replay;

import org.jspecify.annotations.NullMarked;
