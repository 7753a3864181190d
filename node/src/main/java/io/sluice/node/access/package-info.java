/** How callers prove that they may use a port: bearer tokens and certificates. */
@NullMarked
package io.sluice.node.access;

import org.jspecify.annotations.NullMarked;
