/** The values that requests are matched by, each in its canonical form, and the patterns for them. */
@NullMarked
package io.sluice.rules.pattern;

import org.jspecify.annotations.NullMarked;
