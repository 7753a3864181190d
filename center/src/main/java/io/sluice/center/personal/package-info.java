/** Data that names people or is no longer needed after some time: what each concept declares about its own tables. */
@NullMarked
package io.sluice.center.personal;

import org.jspecify.annotations.NullMarked;
