/** A request in the one reading that every front door shares: target, host, method, caller's address, headers, query and body fields. */
@NullMarked
package io.sluice.http.request;

import org.jspecify.annotations.NullMarked;
