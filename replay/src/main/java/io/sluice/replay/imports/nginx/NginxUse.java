package io.sluice.replay.imports.nginx;

import io.sluice.replay.imports.draft.Spot;
import java.util.List;

/**
 * A {@code limit_req} or {@code limit_conn}, and the place where it is in force.
 *
 * @param server the names of its server; empty for all servers
 * @param location the location that contains it; empty for the whole server
 * @param replacedIn the places inside that have limits of their own, so that this limit does not apply there
 * @param dryRun whether the limit only observes
 */
record NginxUse(
        Directive limit, List<String> server, List<Directive> location, List<String> replacedIn, boolean dryRun) {

    NginxUse {
        server = List.copyOf(server);
        location = List.copyOf(location);
        replacedIn = List.copyOf(replacedIn);
    }

    Spot spot() {
        return limit.spot();
    }

    /** Returns the value of an argument such as {@code burst=5}, or an empty text. */
    String option(String name) {
        return option(limit, name);
    }

    static String option(Directive directive, String name) {
        for (String argument : directive.arguments()) {
            if (argument.startsWith(name + "=")) {
                return argument.substring(name.length() + 1);
            }
        }
        return "";
    }

    /** Returns all options that belong to the use of a zone, so that uses with equal options can become one rule. */
    List<Object> numbers() {
        return List.of(limit.arguments(), server, dryRun);
    }
}
