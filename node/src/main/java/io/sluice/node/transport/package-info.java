/** The transport that servers listen with; ends connections that are slow, silent or not read. */
@NullMarked
package io.sluice.node.transport;

import org.jspecify.annotations.NullMarked;
