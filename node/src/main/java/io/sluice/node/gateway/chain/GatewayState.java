package io.sluice.node.gateway.chain;

import io.sluice.http.request.CallerAddress;
import io.sluice.node.gateway.auth.Authenticators;
import io.sluice.node.gateway.config.RefusalPages;
import io.sluice.node.gateway.route.RouteTable;
import io.sluice.rules.pattern.PathForm;

/** Everything that a change of the configuration replaces, at once. A request keeps the one that it began with. */
public record GatewayState(
        RouteTable routes, Authenticators auth, CallerAddress caller, PathForm paths, RefusalPages refusals) {}
