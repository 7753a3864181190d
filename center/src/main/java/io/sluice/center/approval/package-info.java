/** The second person: which changes need approval, who gave it, and what was done without waiting for it. */
@NullMarked
package io.sluice.center.approval;

import org.jspecify.annotations.NullMarked;
