/** Finding, among very many scopes, those that a request is in, at a cost that does not grow with their number. */
@NullMarked
package io.sluice.rules.internal.index;

import org.jspecify.annotations.NullMarked;
