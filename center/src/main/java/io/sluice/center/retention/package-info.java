/** How long each kind of data is kept, what removes it, and the duty that removes it. */
@NullMarked
package io.sluice.center.retention;

import org.jspecify.annotations.NullMarked;
