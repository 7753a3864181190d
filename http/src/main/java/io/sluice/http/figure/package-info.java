/** Reads the cost of a request from its answer, while the answer passes by. */
@NullMarked
package io.sluice.http.figure;

import org.jspecify.annotations.NullMarked;
