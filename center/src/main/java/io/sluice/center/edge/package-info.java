/** The boundary between a center and the network: its address, its certificate and its proxies. */
@NullMarked
package io.sluice.center.edge;

import org.jspecify.annotations.NullMarked;
