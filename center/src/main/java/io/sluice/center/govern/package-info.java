/** The API of rules: changes, approvals, releases, rollouts, overrides and switches. */
@NullMarked
package io.sluice.center.govern;

import org.jspecify.annotations.NullMarked;
