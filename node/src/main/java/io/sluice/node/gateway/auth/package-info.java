/** Who calls: tokens, API keys, and the keys of issuers. */
@NullMarked
package io.sluice.node.gateway.auth;

import org.jspecify.annotations.NullMarked;
