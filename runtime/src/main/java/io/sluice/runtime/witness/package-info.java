/** The audit log of a center as its nodes witness it: signed checkpoints, and proofs that each extends the one before. */
@NullMarked
package io.sluice.runtime.witness;

import org.jspecify.annotations.NullMarked;
