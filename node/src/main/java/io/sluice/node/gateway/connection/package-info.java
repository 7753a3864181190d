/** Connections of callers: how long they may be idle, how fast they read, what they send last. */
@NullMarked
package io.sluice.node.gateway.connection;

import org.jspecify.annotations.NullMarked;
