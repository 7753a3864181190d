/** Recorded histories of decisions: the files they are kept in, their reader, and the checker that says whether every limit was kept. */
@NullMarked
package io.sluice.history;

import org.jspecify.annotations.NullMarked;
