package io.sluice.spring.web;

import java.security.Principal;
import java.util.Map;

/**
 * Says who calls, as rules see it. A bean of this type replaces ours. Must be quick; is called by many threads.
 *
 * <p>What it returns counts as proven: nothing that a caller merely writes belongs there.
 */
@FunctionalInterface
public interface IdentityResolver {

    /**
     * The attributes {@code user}, {@code tenant}, {@code app}, {@code plan} and {@code claim.<name>} of somebody verified; none if
     * nobody is.
     */
    Map<String, String> attributes(Principal principal);
}
