/** Erasure of a subject: what the center removes itself, the orders to nodes, and the list that survives a restored backup. */
@NullMarked
package io.sluice.center.erase;

import org.jspecify.annotations.NullMarked;
