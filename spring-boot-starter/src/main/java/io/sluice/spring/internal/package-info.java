/** What the parts for Spring share among themselves. Not for applications: it changes without notice. */
@NullMarked
package io.sluice.spring.internal;

import org.jspecify.annotations.NullMarked;
