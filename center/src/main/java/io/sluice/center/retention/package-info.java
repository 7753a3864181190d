/** The retention time of each kind of data, the way in which it is removed, and the duty that removes it. */
@NullMarked
package io.sluice.center.retention;

import org.jspecify.annotations.NullMarked;
