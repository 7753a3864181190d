/** The console in a real browser, before a real gateway. */
@NullMarked
package io.sluice.cli.console;

import org.jspecify.annotations.NullMarked;
