/** Writes JSON on one line, with keys in the given order. */
@NullMarked
package io.sluice.rules.json;

import org.jspecify.annotations.NullMarked;
