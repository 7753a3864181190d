/** The console in a real browser, over a center with believable data. */
@NullMarked
package io.sluice.center.console;

import org.jspecify.annotations.NullMarked;
