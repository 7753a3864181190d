/** Recorded histories of decisions: the files, their reader, and the checker that finds violated limits. */
@NullMarked
package io.sluice.history;

import org.jspecify.annotations.NullMarked;
