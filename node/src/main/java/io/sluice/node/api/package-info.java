/** The decision API over HTTP. */
@NullMarked
package io.sluice.node.api;

import org.jspecify.annotations.NullMarked;
