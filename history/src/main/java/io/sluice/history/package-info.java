/** Recorded histories of decisions: the files, their reader, and the checker that tells whether every limit was kept. */
@NullMarked
package io.sluice.history;

import org.jspecify.annotations.NullMarked;
