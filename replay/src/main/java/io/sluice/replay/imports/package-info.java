/** Imports rules from the configurations of other limiters. */
@NullMarked
package io.sluice.replay.imports;

import org.jspecify.annotations.NullMarked;
