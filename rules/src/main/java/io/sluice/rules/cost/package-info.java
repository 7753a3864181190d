/**
 * The cost of a request under a limit, its settlement by the real figure, and the part of a limit that a request leaves for
 * other requests.
 */
@NullMarked
package io.sluice.rules.cost;

import org.jspecify.annotations.NullMarked;
