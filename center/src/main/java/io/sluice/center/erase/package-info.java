/** Erasure of a subject: removal from the center's own data, orders to nodes, and the list that survives a restored backup. */
@NullMarked
package io.sluice.center.erase;

import org.jspecify.annotations.NullMarked;
