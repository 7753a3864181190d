/** What stands between a center and the network: its address, its certificate and the proxies before it. */
@NullMarked
package io.sluice.center.edge;

import org.jspecify.annotations.NullMarked;
