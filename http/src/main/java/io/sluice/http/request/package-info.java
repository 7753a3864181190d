/**
 * Reads a request in the same way for every entry point: target, host, method, caller's address, headers, query and body
 * fields.
 */
@NullMarked
package io.sluice.http.request;

import org.jspecify.annotations.NullMarked;
