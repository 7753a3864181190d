/** Authenticates callers: tokens, API keys, and the issuers' keys. */
@NullMarked
package io.sluice.node.gateway.auth;

import org.jspecify.annotations.NullMarked;
