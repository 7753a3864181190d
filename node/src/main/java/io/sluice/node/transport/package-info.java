/** The transport that servers listen with, and the time that they give callers. */
@NullMarked
package io.sluice.node.transport;

import org.jspecify.annotations.NullMarked;
