/** The steps that every request goes through: parsed, authenticated, limited, sent on, with the handlers of users between. */
@NullMarked
package io.sluice.node.gateway.chain;

import org.jspecify.annotations.NullMarked;
