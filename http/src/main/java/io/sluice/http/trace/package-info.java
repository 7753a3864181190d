/** How a request says which trace it belongs to. */
@NullMarked
package io.sluice.http.trace;

import org.jspecify.annotations.NullMarked;
