/** The audit log in files that people read and programs verify without the center. */
@NullMarked
package io.sluice.center.export;

import org.jspecify.annotations.NullMarked;
