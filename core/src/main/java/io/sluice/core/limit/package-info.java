/** The limits that requests are counted against: immutable values that do not depend on an engine. */
@NullMarked
package io.sluice.core.limit;

import org.jspecify.annotations.NullMarked;
