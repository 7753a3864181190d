/** The founding form of a rule, a flat list of texts: read and written. */
@NullMarked
package io.sluice.rules.flat;

import org.jspecify.annotations.NullMarked;
