/** Temporary changes on top of released rules: overrides for single callers, and the emergency switch. */
@NullMarked
package io.sluice.center.adjust;

import org.jspecify.annotations.NullMarked;
