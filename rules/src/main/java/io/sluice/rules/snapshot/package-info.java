/** The rules in force as one numbered set: compiled for matching, written as a whole, compared with another. */
@NullMarked
package io.sluice.rules.snapshot;

import org.jspecify.annotations.NullMarked;
