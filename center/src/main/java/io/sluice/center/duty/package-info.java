/** The work of a center that no request asks for, each duty on its own thread, and the election of the center that does it. */
@NullMarked
package io.sluice.center.duty;

import org.jspecify.annotations.NullMarked;
