/** What the servers of a node have in common. */
@NullMarked
package io.sluice.node.internal;

import org.jspecify.annotations.NullMarked;
