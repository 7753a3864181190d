/**
 * The control plane of Sluice: changes of rules are checked, released as numbered versions, and confirmed by every node. {@link
 * io.sluice.center.Center} is the entry point.
 */
@NullMarked
package io.sluice.center;

import org.jspecify.annotations.NullMarked;
