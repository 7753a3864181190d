/** The one decision: attributes in, every matching limit asked at once, a ruling out. */
@NullMarked
package io.sluice.rules.evaluate;

import org.jspecify.annotations.NullMarked;
