/** What a request costs a limit, how the real figure is learned afterwards, and how much a request leaves for others. */
@NullMarked
package io.sluice.rules.cost;

import org.jspecify.annotations.NullMarked;
