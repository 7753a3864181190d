/** The one way to watch files: look, take what two looks in a row see, keep the last good content. */
@NullMarked
package io.sluice.rules.watch;

import org.jspecify.annotations.NullMarked;
