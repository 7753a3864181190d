/** The evaluation of a request: its attributes go in, all matching limits are asked at once, and a ruling comes out. */
@NullMarked
package io.sluice.rules.evaluate;

import org.jspecify.annotations.NullMarked;
