package io.sluice.node.gateway.chain;

import io.sluice.http.request.CallerAddress;
import io.sluice.node.gateway.auth.Authenticators;
import io.sluice.node.gateway.config.RefusalPages;
import io.sluice.node.gateway.route.RouteTable;
import io.sluice.rules.pattern.PathForm;

/** The parts that a change of the configuration replaces, in one step. A request keeps its initial state. */
public record GatewayState(
        RouteTable routes, Authenticators auth, CallerAddress caller, PathForm paths, RefusalPages refusals) {}
