/** Signed checkpoints of the audit log, and the reports of nodes that witness them. */
@NullMarked
package io.sluice.center.checkpoint;

import org.jspecify.annotations.NullMarked;
