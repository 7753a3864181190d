/** Reads what a request has cost from its answer, while the answer passes by. */
@NullMarked
package io.sluice.http.figure;

import org.jspecify.annotations.NullMarked;
