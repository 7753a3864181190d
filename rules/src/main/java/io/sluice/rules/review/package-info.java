/** Reviews a whole rule set: rules that never act, limits that never refuse, and rules that contradict each other. */
@NullMarked
package io.sluice.rules.review;

import org.jspecify.annotations.NullMarked;
