/** Reads and writes the founding form of a rule: a flat list of text fields. */
@NullMarked
package io.sluice.rules.flat;

import org.jspecify.annotations.NullMarked;
