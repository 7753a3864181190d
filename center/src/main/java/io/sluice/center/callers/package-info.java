/**
 * Who was refused: sketches of all nodes, merged by the minute and the hour, and questions to nodes about a caller that the center knows
 * only by its hash.
 */
@NullMarked
package io.sluice.center.callers;

import org.jspecify.annotations.NullMarked;
