/** Plans of releases: the target of the first step, and the settings of the verdict. */
@NullMarked
package io.sluice.center.plan;

import org.jspecify.annotations.NullMarked;
