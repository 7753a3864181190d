/** Reads the trace that a request belongs to. */
@NullMarked
package io.sluice.http.trace;

import org.jspecify.annotations.NullMarked;
