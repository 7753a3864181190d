/** The transport that servers listen with, and the one way in which they end connections that are slow, silent or not read. */
@NullMarked
package io.sluice.node.transport;

import org.jspecify.annotations.NullMarked;
