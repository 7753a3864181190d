/** Places outside of the center that get every row of the audit log. */
@NullMarked
package io.sluice.center.sink;

import org.jspecify.annotations.NullMarked;
