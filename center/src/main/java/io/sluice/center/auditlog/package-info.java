/** The API of the audit log: its rows, and their verification. */
@NullMarked
package io.sluice.center.auditlog;

import org.jspecify.annotations.NullMarked;
