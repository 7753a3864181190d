/** The values that requests are matched by, each in its one form, and the patterns they are compared with. */
@NullMarked
package io.sluice.rules.pattern;

import org.jspecify.annotations.NullMarked;
