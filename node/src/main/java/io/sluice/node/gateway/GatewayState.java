package io.sluice.node.gateway;

import io.sluice.rules.CallerAddress;
import io.sluice.rules.PathForm;

/** Everything that a change of the configuration replaces, at once. A request keeps the one that it began with. */
record GatewayState(
        RouteTable routes, Authenticators auth, CallerAddress caller, PathForm paths, RefusalPages refusals) {}
