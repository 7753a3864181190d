/** Tries a change on the requests that nodes recorded recently. Questions and answers are neither stored nor logged. */
@NullMarked
package io.sluice.center.dryrun;

import org.jspecify.annotations.NullMarked;
