/**
 * A sample of the decisions of the last 24 hours, in a ring of files that can be searched. Nodes send every refusal up to a bound and a
 * share of the allowed requests. Callers appear as masked texts and keyed hashes.
 */
@NullMarked
package io.sluice.center.decisions;

import org.jspecify.annotations.NullMarked;
