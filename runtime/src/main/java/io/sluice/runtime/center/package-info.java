/** The client of a center over HTTP: rules come from it as server-sent events, and reports go to it. */
@NullMarked
package io.sluice.runtime.center;

import org.jspecify.annotations.NullMarked;
