/** Temporary changes on top of released rules: other numbers for single callers, and rules that refuse nothing for a while. */
@NullMarked
package io.sluice.rules.adjust;

import org.jspecify.annotations.NullMarked;
