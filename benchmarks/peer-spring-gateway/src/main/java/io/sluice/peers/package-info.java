/** Other projects' gateways as their users would run them, for measurements beside ours. */
@NullMarked
package io.sluice.peers;

import org.jspecify.annotations.NullMarked;
