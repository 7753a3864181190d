/** The steps of every request: parsed, limited early, authenticated, limited, forwarded, with the users' handlers in between. */
@NullMarked
package io.sluice.node.gateway.chain;

import org.jspecify.annotations.NullMarked;
