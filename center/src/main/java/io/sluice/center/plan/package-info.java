/** What a release is asked to do: whom it goes to first, and how it is judged. */
@NullMarked
package io.sluice.center.plan;

import org.jspecify.annotations.NullMarked;
