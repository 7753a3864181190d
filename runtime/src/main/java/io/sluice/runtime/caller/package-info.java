/** Questions of a center about callers that it knows only by their hashes. A process that knows them answers. */
@NullMarked
package io.sluice.runtime.caller;

import org.jspecify.annotations.NullMarked;
