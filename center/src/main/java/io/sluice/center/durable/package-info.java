/** The charges of nodes to durable limits, for a Redis that has lost its data. */
@NullMarked
package io.sluice.center.durable;

import org.jspecify.annotations.NullMarked;
