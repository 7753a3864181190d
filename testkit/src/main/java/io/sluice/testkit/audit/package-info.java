/** An audit log as a center returns it, without a center. */
@NullMarked
package io.sluice.testkit.audit;

import org.jspecify.annotations.NullMarked;
