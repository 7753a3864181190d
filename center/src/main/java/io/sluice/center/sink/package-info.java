/** Sinks outside of the center that receive every row of the audit log. */
@NullMarked
package io.sluice.center.sink;

import org.jspecify.annotations.NullMarked;
