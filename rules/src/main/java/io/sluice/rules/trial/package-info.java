/** Trials of changes before they are released to all callers. */
@NullMarked
package io.sluice.rules.trial;

import org.jspecify.annotations.NullMarked;
