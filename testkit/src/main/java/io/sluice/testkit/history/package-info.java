/**
 * Histories of what was really done with counts: written by each process, merged, and checked afterwards against the definitions of
 * the limits and against the model.
 */
@NullMarked
package io.sluice.testkit.history;

import org.jspecify.annotations.NullMarked;
