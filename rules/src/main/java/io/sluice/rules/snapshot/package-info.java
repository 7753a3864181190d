/** The rules in force as one versioned set: compiled for matching, written as a whole, and compared with other sets. */
@NullMarked
package io.sluice.rules.snapshot;

import org.jspecify.annotations.NullMarked;
