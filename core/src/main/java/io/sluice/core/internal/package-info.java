/** How the in-process engine keeps its counts. Not for use outside this module. */
@NullMarked
package io.sluice.core.internal;

import org.jspecify.annotations.NullMarked;
