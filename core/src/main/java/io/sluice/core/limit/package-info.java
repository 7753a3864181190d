/** The limits that requests are counted against: immutable values that know no engine. */
@NullMarked
package io.sluice.core.limit;

import org.jspecify.annotations.NullMarked;
