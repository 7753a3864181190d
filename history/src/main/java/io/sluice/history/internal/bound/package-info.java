/** What a limit admits at most in any interval, from its definition alone. The checker holds admissions against it. */
@NullMarked
package io.sluice.history.internal.bound;

import org.jspecify.annotations.NullMarked;
