/** The maximum that a limit admits in any interval, from its definition alone. The checker compares admissions with it. */
@NullMarked
package io.sluice.history.internal.bound;

import org.jspecify.annotations.NullMarked;
