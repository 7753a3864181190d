/** The audit log of a center: its sinks, and the verb that exports it and verifies it on this machine. */
@NullMarked
package io.sluice.cli.audit;

import org.jspecify.annotations.NullMarked;
