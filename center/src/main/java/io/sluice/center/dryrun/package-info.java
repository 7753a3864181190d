/** Tries a change on the requests that nodes recorded lately. What is asked and answered is neither stored nor logged. */
@NullMarked
package io.sluice.center.dryrun;

import org.jspecify.annotations.NullMarked;
