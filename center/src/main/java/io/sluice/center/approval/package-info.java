/** Approval by a second person: the changes that need it, the approvals given, and emergencies that did not wait for it. */
@NullMarked
package io.sluice.center.approval;

import org.jspecify.annotations.NullMarked;
