/**
 * Refused callers: sketches of all nodes, merged by minute and by hour, and questions to nodes about a caller that the center
 * knows only by its hash.
 */
@NullMarked
package io.sluice.center.callers;

import org.jspecify.annotations.NullMarked;
