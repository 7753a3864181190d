/** The Merkle tree over the log of commands, and its verifier. */
@NullMarked
package io.sluice.center.audit;

import org.jspecify.annotations.NullMarked;
