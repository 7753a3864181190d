/** The rules that the rights of a caller reach: the rules that they may read, and the rules that they may change. Pure functions. */
@NullMarked
package io.sluice.center.reach;

import org.jspecify.annotations.NullMarked;
