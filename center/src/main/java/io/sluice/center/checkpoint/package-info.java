/** Signed checkpoints of the audit log, and what nodes that witness them say. */
@NullMarked
package io.sluice.center.checkpoint;

import org.jspecify.annotations.NullMarked;
